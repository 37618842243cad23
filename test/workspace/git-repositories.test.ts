import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitAll, git, newRepository, paths, select, temporaryFolder, write } from './support.ts';

/** A tracked file that is ignored, an untracked one, an ignored one: only the index tells the first from the last. */
function fill(root: string): void {
  write(root, { '.gitignore': '*.o\n', 'tracked.o': 't', 'a.c': 'a' });
  git(root, 'add', '-f', '.');
  git(root, 'commit', '-q', '-m', 'state');
  write(root, { 'new.c': 'n', 'ignored.o': 'i' });
}

const FILLED = ['.gitignore', 'a.c', 'new.c', 'tracked.o'];

test('a linked worktree is listed by its own index and the shared excludes (D36)', async () => {
  const main = newRepository();
  fill(main);
  write(main, { '.git/info/exclude': 'local.txt\n' });
  const linked = join(temporaryFolder(), 'wt');
  git(main, 'worktree', 'add', '-q', linked, '-b', 'w');
  write(linked, { 'new.c': '', 'ignored.o': '', 'local.txt': '' });
  const selection = await select(linked);
  expect(paths(selection)).toEqual(FILLED);
  expect(selection.leftOut.list).toContainEqual({ path: '.git', reason: 'git-metadata' });
  expect(selection.notices).toEqual([]);
});

test('the folder that a `.git` file names is git metadata under any other name', async () => {
  for (const options of [
    ['init', '-q', '--separate-git-dir'],
    ['clone', '-q', '--bare', '.'],
  ]) {
    const root = newRepository({ a: '', 'sub/bare/HEAD': 'no repository' });
    commitAll(root);
    git(root, ...options, join(root, 'kept'));
    if (options[0] === 'clone') rmSync(join(root, '.git'), { recursive: true });
    const layouts = options[0] === 'clone' ? ['gitdir: ./kept\n', `gitdir: ${root}/kept\n`] : [undefined];
    for (const pointer of layouts) {
      if (pointer !== undefined) write(root, { '.git': pointer });
      expect(git(root, 'rev-parse', '--git-dir').trim(), 'control: git keeps it there').toMatch(/kept$/);
      const selection = await select(root);
      expect(paths(selection, ['file'])).toEqual(['a', 'sub/bare/HEAD']);
      expect(selection.leftOut.list).toContainEqual({ path: 'kept/', reason: 'git-metadata' });
    }
  }
});

test('a worktree whose main repository is out of reach is listed by its rule files (D36)', async () => {
  const main = newRepository();
  fill(main);
  const linked = join(temporaryFolder(), 'wt');
  git(main, 'worktree', 'add', '-q', linked, '-b', 'w');
  rmSync(join(main, '.git'), { recursive: true });
  write(linked, { 'new.c': '', 'ignored.o': '' });
  expect(paths(await select(linked))).toEqual(['.gitignore', 'a.c', 'new.c']);
});

test('a split index, index version 4 and SHA-256 are understood', async () => {
  for (const prepare of [
    (root: string) => git(root, 'update-index', '--split-index'),
    (root: string) => git(root, 'update-index', '--index-version', '4'),
  ]) {
    const root = newRepository();
    fill(root);
    prepare(root);
    const selection = await select(root);
    expect(paths(selection)).toEqual(FILLED);
    expect(selection.notices).toEqual([]);
  }
  const sha256 = temporaryFolder();
  git(sha256, 'init', '-q', '--object-format=sha256');
  fill(sha256);
  git(sha256, 'update-index', '--split-index');
  expect(paths(await select(sha256))).toEqual(FILLED);
});

test('a sparse index is listed without the objects it names (D40)', async () => {
  const root = newRepository({ 'in/a': '', 'out/b': '' });
  fill(root);
  git(root, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'in');
  expect(paths(await select(root), ['file'])).toEqual(['.gitignore', 'a.c', 'in/a', 'new.c', 'tracked.o']);
});

test('a damaged index is said, and the rules still hold', async () => {
  const root = newRepository();
  fill(root);
  writeFileSync(join(root, '.git/index'), 'DIRC\0\0\0\x02garbage');
  const selection = await select(root);
  expect(paths(selection)).toEqual(['.gitignore', 'a.c', 'new.c']);
  expect(selection.notices.join()).toContain('git could not read the index of the repository');
  expect(selection.vcs).toBe('git');
});

test('a repository of another owner is listed without an exception in anybody’s configuration (D35)', async () => {
  const root = newRepository();
  fill(root);
  if (process.getuid?.() === 0) {
    execFileSync('chown', ['-R', '4242:4242', root]);
    expect(() => git(root, 'status')).toThrow(/dubious ownership/);
    chownSync(root, 4242, 4242);
  }
  expect(paths(await select(root))).toEqual(FILLED);
});

test('files of submodules enter by the submodule’s own rules (D37)', async () => {
  const library = newRepository();
  fill(library);
  const root = newRepository({ 'main.c': '' });
  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib/x');
  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib/y');
  commitAll(root);
  git(root, 'submodule', '--quiet', 'deinit', '-f', 'lib/y');
  write(root, { 'lib/x/new.c': '', 'lib/x/ignored.o': '' });
  const selection = await select(root);
  expect(paths(selection)).toEqual([
    '.gitmodules',
    'lib/',
    'lib/x/',
    ...FILLED.map((name) => `lib/x/${name}`),
    'lib/y/',
    'main.c',
  ]);
  expect(selection.leftOut.counts).toEqual({ 'git-metadata': 2, ignored: 1, 'submodule-uninitialised': 1 });
  expect(selection.notices).toEqual([
    'Contains 1 other repository (lib/x): their files enter by their own ignore rules, their history does not.',
  ]);
  // The submodule as the root: its `.git` is a file that points out of it.
  expect(paths(await select(join(root, 'lib/x')))).toEqual(FILLED);
});

test('independent repositories inside the tree enter with their files and are named (D38)', async () => {
  const root = newRepository({ '.gitignore': 'skipped/\n' });
  for (const name of ['services/a', 'services/a/deep/b', 'skipped/c']) {
    mkdirSync(join(root, name), { recursive: true });
    git(join(root, name), 'init', '-q');
    fill(join(root, name));
  }
  const selection = await select(root);
  expect(paths(selection, ['file'])).toEqual([
    '.gitignore',
    'services/a/.gitignore',
    'services/a/a.c',
    ...FILLED.map((name) => `services/a/deep/b/${name}`),
    'services/a/new.c',
    'services/a/tracked.o',
  ]);
  expect(selection.notices.join()).toContain('2 other repositories (services/a, services/a/deep/b)');
});

test('a clone that borrows objects, a shallow one and one with LFS attributes are listed like any (D39, D40)', async () => {
  const source = newRepository({ '.gitattributes': '*.bin filter=lfs\n', 'x.bin': 'content' });
  commitAll(source);
  for (const options of [['-s'], ['--depth', '1'], ['--filter=blob:none']]) {
    const clone = join(temporaryFolder(), 'clone');
    git(source, 'clone', '-q', ...options, `file://${source}`.replace(options[0] === '-s' ? 'file://' : '', ''), clone);
    rmSync(join(clone, '.git/objects'), { recursive: true });
    mkdirSync(join(clone, '.git/objects'));
    expect(paths(await select(clone))).toEqual(['.gitattributes', 'x.bin']);
  }
});

test('a repository with a `.git` file or folder that leads nowhere is a plain folder', async () => {
  for (const content of ['gitdir: /nonexistent/x\n', 'gitdir: .\n', 'garbage', '']) {
    const root = temporaryFolder();
    write(root, { '.git': content, 'sub/.git/HEAD': 'ref: x', '.gitignore': '*.o\n', 'a.o': '', 'a.c': '' });
    expect(paths(await select(root), ['file'])).toEqual(['.gitignore', 'a.c']);
  }
});

test('the user’s own excludes file counts, by configuration and by default', async () => {
  const root = newRepository({ 'a.swp': '', 'b.idea': '', c: '' });
  const home = temporaryFolder();
  write(home, { '.config/git/ignore': '*.swp\n', mine: '*.idea\n' });
  const list = async (env: object) => paths(await select(root, { env: { homeDir: home, ...env } }));
  expect(await list({})).toEqual(['b.idea', 'c']);
  expect(await list({ gitPath: '/nonexistent/git' })).toEqual(['b.idea', 'c']);
  write(home, { '.gitconfig': '[core]\n\texcludesFile = ~/mine\n' });
  expect(await list({})).toEqual(['a.swp', 'c']);
  write(home, { 'other/git/config': '[core]\n\texcludesFile = ~/mine\n', '.gitconfig': '' });
  expect(await list({ configHome: join(home, 'other') })).toEqual(['a.swp', 'c']);
});

test('an excludes file of the repository’s own configuration is not used, and that is said', async () => {
  const root = newRepository({ a: '', b: '' });
  write(temporaryFolder(), { rules: 'a\n' });
  git(root, 'config', 'core.excludesFile', '/etc/hostname');
  const selection = await select(root);
  expect(paths(selection)).toEqual(['a', 'b']);
  expect(selection.notices.join()).toContain('names its own excludes file');
});

test('without git the same files are found by the rule files, and that is said', async () => {
  const root = newRepository();
  fill(root);
  write(root, {
    '.git/info/exclude': 'new.c\n',
    'sub/.gitignore': '/x\n!y.o\nd/\n',
    'sub/x': '',
    'sub/deep/x': '',
    'sub/y.o': '',
    'sub/z/d/q': '',
  });
  const selection = await select(root, { env: { gitPath: '/nonexistent/git' } });
  expect(paths(selection, ['file'])).toEqual(['.gitignore', 'a.c', 'sub/.gitignore', 'sub/deep/x', 'sub/y.o']);
  expect(selection.vcs).toBe('none');
  expect(selection.notices[0]).toMatch(/was not found; the ignore rules are taken from \.gitignore files/);
  expect(readdirSync(root)).toContain('tracked.o');
});

test.each([
  ['with many **', `${'**/a/'.repeat(4)}b`],
  ['that is very long', '?'.repeat(100_000)],
])('without git a rule %s is refused instead of tried for hours', async (_what, rule) => {
  const deep = { [`${'a/'.repeat(100)}c`]: '' };
  const env = { gitPath: '/nonexistent/git' };
  const refused = { code: 'repository', message: expect.stringContaining('.gitignore'), hint: expect.any(String) };
  await expect(select(newRepository({ ...deep, '.gitignore': rule }), { env })).rejects.toMatchObject(refused);
  await expect(select(newRepository({ ...deep, 'a/.gitignore': rule }), { env })).rejects.toMatchObject(refused);
  const plain = await select(newRepository({ a: '', 'x/b/y/c': '', '.gitignore': '**/x/**/c\n' }), { env });
  expect(paths(plain, ['file'])).toEqual(['.gitignore', 'a']);
});

test('more repositories inside than the limit are refused with a hint', async () => {
  const root = newRepository();
  for (let index = 0; index <= 200; index += 1) write(root, { [`r/${index}/.git`]: 'gitdir: nowhere' });
  await expect(select(root)).rejects.toMatchObject({ code: 'repository', hint: expect.stringContaining('--exclude') });
});
