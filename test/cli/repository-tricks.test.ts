import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { git } from '../changes/support.ts';
import { tempFolder } from '../support/cli.ts';
import { RUN, runWithChanges } from '../support/run-with-changes.ts';
import { commitAll, paths, git as plainGit, select } from '../workspace/support.ts';

interface Trick {
  /** Settings of the repository; SCRIPT stands for a program that leaves a marker. */
  readonly config: Readonly<Record<string, string>>;
  /** What sets it off when somebody types it. */
  readonly control: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** All are in force at once, each with a remote, a filter and a marker of its own. */
const TRICKS: Readonly<Record<string, Trick>> = {
  'core.fsmonitor (D41)': { config: { 'core.fsmonitor': 'SCRIPT' }, control: ['status'] },
  'filter.clean (D41)': { config: { 'filter.evil.clean': 'SCRIPT' }, control: ['add', 'a.txt'] },
  'diff.textconv (D41)': { config: { 'diff.evil.textconv': 'SCRIPT' }, control: ['show', '--textconv', 'HEAD:a.txt'] },
  'core.sshCommand (GT4)': {
    config: { 'core.sshCommand': 'SCRIPT', 'remote.ssh.url': 'ssh://nowhere.invalid/x' },
    control: ['fetch', 'ssh'],
  },
  'core.gitProxy (GT4)': {
    config: { 'core.gitProxy': 'SCRIPT', 'remote.proxy.url': 'git://nowhere.invalid/x' },
    control: ['fetch', 'proxy'],
  },
  'remote.uploadpack (GT4)': {
    config: { 'remote.pack.url': '/nonexistent', 'remote.pack.uploadpack': 'SCRIPT' },
    control: ['fetch', 'pack'],
  },
  'an address that is a program (GT4)': {
    config: { 'protocol.ext.allow': 'always', 'remote.program.url': 'ext::SCRIPT x' },
    control: ['fetch', 'program'],
  },
  'url.insteadOf (GT4)': {
    config: {
      'url.ext::SCRIPT .insteadOf': 'https://nowhere.invalid/',
      'remote.other.url': 'https://nowhere.invalid/x',
    },
    control: ['fetch', 'other'],
  },
  'credential.helper (GT4)': {
    config: { 'credential.helper': 'SCRIPT' },
    control: ['-c', 'core.askPass=true', 'credential', 'fill'],
    input: 'protocol=https\nhost=nowhere.invalid\n\n',
  },
  'the address of a submodule (GT4)': {
    config: { 'submodule.lib.url': 'ext::SCRIPT x', 'submodule.lib.active': 'true' },
    control: ['submodule', 'update'],
    // The clone of a submodule does not read the settings of the repository around it.
    env: { GIT_ALLOW_PROTOCOL: 'ext' },
  },
  'an object that is fetched when it is read (GT4)': {
    config: {
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'lazy',
      'remote.lazy.url': '/nonexistent',
      'remote.lazy.promisor': 'true',
      'remote.lazy.uploadpack': 'SCRIPT',
    },
    control: ['cat-file', '-p', 'HEAD:lazy.txt'],
  },
};

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
  const armed = Object.entries(TRICKS).map(([name, trick]) => ({ name, trick, ...trap(repo, trick) }));
  const sprung = (): string[] => armed.filter(({ marker }) => existsSync(marker)).map(({ name }) => name);
  for (const { marker } of armed) rmSync(marker, { force: true });

  expect(paths(await select(repo), ['file'])).toContain('lazy.txt');
  for (const command of COMMANDS) {
    const { code, stderr } = await run(command, { cwd: repo });
    expect({ code, sprung: sprung() }, `${command.join(' ')}: ${stderr}`).toEqual({ code: 0, sprung: [] });
  }
  expect(paths(await select(repo), ['file'])).toContain('.gitattributes');
  expect(sprung()).toEqual([]);
  expect(readFileSync(path.join(repo, 'lazy.txt'), 'utf8')).toBe('2\n');

  for (const { name, trick, marker } of armed) {
    rmSync(marker, { force: true });
    try {
      git(repo, trick.control, { input: Buffer.from(trick.input ?? ''), env: trick.env ?? {} });
    } catch {
      // The trap may make git fail; only the marker counts.
    }
    expect(existsSync(marker), `positive control: plain git runs ${name}`).toBe(true);
  }
  expect(plainGit(repo, '-c', 'core.fsmonitor=false', 'show', 'agent:lazy.txt')).toBe('2\n');
});

/** Puts a trick into force. */
function trap(repo: string, { config }: Trick): { marker: string } {
  const folder = tempFolder('tr-');
  const [script, marker] = [path.join(folder, 'evil'), path.join(folder, 'MARKER')];
  writeFileSync(script, `#!/bin/sh\n: > ${marker}\nexec cat 2>/dev/null </dev/null\n`);
  chmodSync(script, 0o755);
  for (const [key, value] of Object.entries(config)) {
    plainGit(
      repo,
      '-c',
      'core.fsmonitor=false',
      'config',
      key.replace('SCRIPT', script),
      value.replace('SCRIPT', script),
    );
  }
  return { marker };
}
