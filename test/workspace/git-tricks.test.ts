import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitAll, git, newRepository, paths, select, temporaryFolder, write } from './support.ts';

/** Git commands that a curious host tool would run; the tricks below fire on one of them at least. */
const TEMPTING = [
  ['status'],
  ['diff'],
  ['diff', 'HEAD'],
  ['add', 'bait.txt'],
  ['log', '-p', '--textconv', '-1'],
  ['checkout', '-f', 'HEAD', '--', '.'],
  ['ls-files', '-m'],
  ['show', '--show-signature', 'HEAD'],
];

interface Trick {
  readonly name: string;
  readonly arm: (root: string, script: string, marker: string) => void;
}

const config =
  (...settings: readonly (readonly [string, string])[]) =>
  (root: string, script: string) => {
    for (const [key, value] of settings) git(root, 'config', key, value.replace('SCRIPT', script));
  };

const TRICKS: readonly Trick[] = [
  { name: 'core.fsmonitor', arm: config(['core.fsmonitor', 'SCRIPT']) },
  {
    name: 'core.fsmonitor with an index that remembers it',
    arm: (root, script) => {
      git(root, 'config', 'core.fsmonitor', script);
      git(root, 'update-index', '--fsmonitor');
      git(root, 'status');
    },
  },
  {
    name: 'core.hooksPath',
    arm: (root, script) => {
      write(root, {
        '.git/own/post-index-change': `#!/bin/sh\nexec ${script}\n`,
        '.git/own/post-checkout': `#!/bin/sh\nexec ${script}\n`,
      });
      for (const hook of ['post-index-change', 'post-checkout']) chmodSync(join(root, '.git/own', hook), 0o755);
      git(root, 'config', 'core.hooksPath', join(root, '.git/own'));
    },
  },
  {
    name: 'a hook in .git/hooks',
    arm: (root, script) => {
      write(root, { '.git/hooks/post-index-change': `#!/bin/sh\nexec ${script}\n` });
      chmodSync(join(root, '.git/hooks/post-index-change'), 0o755);
    },
  },
  {
    name: 'include.path',
    arm: (root, script) => {
      write(root, { '.git/more': `[core]\n\tfsmonitor = ${script}\n` });
      git(root, 'config', 'include.path', 'more');
    },
  },
  {
    name: 'includeIf',
    arm: (root, script) => {
      write(root, { '.git/more': `[core]\n\tfsmonitor = ${script}\n` });
      git(root, 'config', 'includeIf.gitdir:/**.path', join(root, '.git/more'));
    },
  },
  {
    name: 'config.worktree',
    arm: (root, script) => {
      git(root, 'config', 'extensions.worktreeConfig', 'true');
      git(root, 'config', '--worktree', 'core.fsmonitor', script);
    },
  },
  { name: 'filter.clean', arm: filter('clean') },
  { name: 'filter.smudge', arm: filter('smudge') },
  { name: 'filter.process', arm: filter('process') },
  { name: 'diff.textconv', arm: attribute('diff', 'diff.evil.textconv') },
  { name: 'diff.command', arm: attribute('diff', 'diff.evil.command') },
  { name: 'diff.external', arm: config(['diff.external', 'SCRIPT']) },
];

function filter(kind: string): Trick['arm'] {
  return attribute('filter', `filter.evil.${kind}`);
}

function attribute(name: string, key: string): Trick['arm'] {
  return (root, script) => {
    write(root, { '.gitattributes': `*.txt ${name}=evil\n` });
    git(root, 'config', key, script);
  };
}

test.each(TRICKS)('$name fires for plain git and not for us', async ({ arm }) => {
  const folder = temporaryFolder();
  const marker = join(folder, 'MARKER');
  const script = join(folder, 'evil');
  write(folder, { evil: `#!/bin/sh\n: > ${marker}\nexec cat 2>/dev/null\n` });
  chmodSync(script, 0o755);
  const root = newRepository({ 'bait.txt': 'one\n', '.gitignore': '*.o\n' });
  commitAll(root);
  arm(root, script, marker);
  write(root, { 'bait.txt': 'two and more\n', 'x.o': '' });
  rmSync(marker, { force: true });

  const selection = await select(root);
  expect(existsSync(marker)).toBe(false);
  expect(paths(selection, ['file'])).toContain('bait.txt');
  expect(paths(selection, ['file'])).not.toContain('x.o');
  expect(selection.notices).toEqual([]);

  for (const command of TEMPTING) {
    try {
      git(root, ...command);
    } catch {
      // A trick may make git fail; only the marker counts.
    }
  }
  expect(existsSync(marker), 'positive control: plain git runs the trick').toBe(true);
});

test('a bare repository inside the tree is data (GT5)', async () => {
  const folder = temporaryFolder();
  const marker = join(folder, 'MARKER');
  const root = newRepository({ a: '' });
  write(root, {
    'sub/HEAD': 'ref: refs/heads/main\n',
    'sub/objects/x': '',
    'sub/refs/x': '',
    'sub/config': `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${marker};:"\n`,
  });
  expect(paths(await select(root), ['file'])).toContain('sub/config');
  expect(paths(await select(join(root, 'sub')), ['file'])).toContain('config');
  expect(existsSync(marker)).toBe(false);
  git(join(root, 'sub'), 'status');
  expect(existsSync(marker), 'positive control').toBe(true);
});

test('core.worktree does not move the listing elsewhere (GT6)', async () => {
  const victim = temporaryFolder();
  write(victim, { secret: '' });
  const root = newRepository({ a: '' });
  git(root, 'config', 'core.worktree', victim);
  expect(paths(await select(root))).toEqual(['a']);
});

test('GIT_ variables of the caller are not in force', async () => {
  const other = newRepository({ '.gitignore': '*\n' });
  const root = newRepository({ a: '', '.gitignore': '*.o\n', 'x.o': '' });
  const names = {
    GIT_DIR: join(other, '.git'),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: '/nonexistent',
    GIT_CONFIG_COUNT: 'x',
  };
  Object.assign(process.env, names);
  try {
    expect(paths(await select(root))).toEqual(['.gitignore', 'a']);
  } finally {
    for (const name of Object.keys(names)) delete process.env[name];
  }
});
