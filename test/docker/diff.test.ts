import { appendFileSync, chmodSync, cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readTree } from '../support/change-sets.ts';
import { bash, git, Session } from '../support/session.ts';
import { withoutRules } from '../support/without-rules.ts';

const session = new Session();

test('a patch is start state against final files, whatever the agent did with git (D50, D51, D59, D64)', async () => {
  const repo = session.repository('work', {
    'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    'b.txt': 'b\n',
    'gone.txt': 'gone\n',
    'run.sh': '#!/bin/sh\n',
    'blob.bin': Buffer.from([0, 1, 2]),
    '.gitignore': '*.log\n',
  });
  // Edits of the user, staged and not, are part of what the agent is given.
  writeFileSync(path.join(repo, 'b.txt'), 'staged\n');
  git(repo, 'add', 'b.txt');
  appendFileSync(path.join(repo, 'a.txt'), 'mine\n');
  writeFileSync(path.join(repo, 'mine.txt'), 'new and mine\n');
  const given = path.join(session.folder, 'given');
  cpSync(repo, given, { recursive: true });

  const work = [
    'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a',
    'sed -i s/^1/ONE/ a.txt && git commit -qam one',
    'git rm -q gone.txt && git commit -qm two',
    'git switch -qc other && printf new > new.txt && git add new.txt',
    'printf "\\0\\3" > blob.bin && git stash -q && git stash pop -q',
    'chmod +x run.sh && mkdir -p empty d && echo x > d/x && echo "* -diff" > .gitattributes && rm -rf .git',
  ];
  const run = await session.run(repo, [bash(work.join('\n')), { text: 'done' }], {
    args: withoutRules(session.folder),
  });
  expect(run.code).toBe(0);

  const { code, stdout, stderr } = await session.cli(['diff', 'last', '--patch'], { cwd: repo });
  expect(stderr.toString()).toContain('Not in the patch: empty: an empty folder');
  expect(code).toBe(0);
  const patch = path.join(session.folder, 'p.patch');
  writeFileSync(patch, stdout);
  const index = git(given, 'ls-files', '-s');
  git(given, 'apply', '--whitespace=nowarn', patch);
  expect(git(given, 'ls-files', '-s')).toEqual(index);
  chmodSync(path.join(repo, 'run.sh'), 0o755);
  expect(readTree(given)).toEqual({
    ...readTree(repo),
    'a.txt': Buffer.from('ONE\n2\n3\n4\n5\n6\n7\n8\n9\nmine\n'),
    'blob.bin': Buffer.from([0, 3]),
    'd/x': Buffer.from('x\n'),
    'gone.txt': undefined,
    'new.txt': Buffer.from('new'),
    '.gitattributes': Buffer.from('* -diff\n'),
  });
  const text = (await session.cli(['diff', 'last'], { cwd: repo })).stdout.toString();
  expect(text).toContain('-1\n+ONE\n');
  expect(text).toContain('run.sh  mode changed, now executable');
});
