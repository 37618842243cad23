import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { arm, TRICKS } from '../support/git-tricks.ts';
import { RUN, runWithChanges } from '../support/run-with-changes.ts';
import { commitAll, paths, git as plainGit, select } from '../workspace/support.ts';

const MODULES = '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n';
const FROM = { 'a.txt': '1\n', 'lazy.txt': 'lazy\n', 'still.txt': 'in HEAD, not at hand\n', '.gitmodules': MODULES };
/** What the agent leaves switches the filters on. */
const TO = { ...FROM, 'a.txt': '2\n', 'lazy.txt': '2\n', '.gitattributes': 'a.txt filter=evil diff=evil\n' };

/** Every command that looks at the repository or writes to it. */
const COMMANDS = [
  ['diff', RUN],
  ['diff', RUN, '--stat'],
  ['diff', RUN, '--json'],
  ['diff', RUN, '--patch'],
  ['apply', RUN, '--check'],
  ['apply', RUN, '--branch', 'agent', '--check'],
  ['apply', RUN, '--branch', 'agent'],
  ['apply', RUN],
  ['show', RUN],
  ['ls'],
];

test('no setting of the repository runs a program or reaches a remote, whatever the command (D41, GT4)', async () => {
  const { repo, run } = runWithChanges(FROM, TO);
  plainGit(repo, 'init', '-q', '-b', 'main');
  commitAll(repo);
  const head = plainGit(repo, 'rev-parse', 'HEAD').trim();
  plainGit(repo, 'update-index', '--add', '--cacheinfo', `160000,${head},lib`);
  plainGit(repo, 'commit', '-qm', 'submodule');
  for (const name of ['lazy.txt', 'still.txt']) {
    const id = plainGit(repo, 'rev-parse', `HEAD:${name}`).trim();
    rmSync(path.join(repo, '.git/objects', id.slice(0, 2), id.slice(2)));
  }
  const { sprung, springs } = arm(repo, TRICKS);

  expect(paths(await select(repo), ['file'])).toContain('lazy.txt');
  for (const command of COMMANDS) {
    const { code, stderr } = await run(command, { cwd: repo });
    expect({ code, sprung: sprung() }, `${command.join(' ')}: ${stderr}`).toEqual({ code: 0, sprung: [] });
  }
  expect(paths(await select(repo), ['file'])).toContain('.gitattributes');
  expect(sprung()).toEqual([]);
  expect(readFileSync(path.join(repo, 'lazy.txt'), 'utf8')).toBe('2\n');

  for (const name of Object.keys(TRICKS)) expect(springs(name), `positive control: plain git runs ${name}`).toBe(true);
  expect(plainGit(repo, '-c', 'core.fsmonitor=false', 'show', 'agent:lazy.txt')).toBe('2\n');
});
