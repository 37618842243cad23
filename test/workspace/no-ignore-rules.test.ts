import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, newRepository, paths, select, temporaryFolder, write } from './support.ts';

/** Not there: asking it for anything leaves a notice. */
const NO_GIT = { gitPath: '/nonexistent/git' };

test('a folder in no repository and without ignore files is listed without git', async () => {
  const root = temporaryFolder();
  write(root, { 'a.log': '', 'sub/b': '' });
  const selection = await select(root, { env: NO_GIT });
  expect(paths(selection)).toEqual(['a.log', 'sub/', 'sub/b']);
  expect(selection.vcs).toBe('none');
  expect(selection.notices).toEqual([]);
});

test.each(['.gitignore', 'sub/deep/.gitignore'])('%s brings git in, and its rules hold', async (file) => {
  const root = temporaryFolder();
  write(root, { 'sub/deep/a.log': '', 'sub/deep/b': '', [file]: '*.log\n' });
  const selection = await select(root);
  expect(paths(selection, ['file'])).toEqual([file, 'sub/deep/b'].sort());
  expect(selection.vcs).toBe('git');
  expect((await select(root, { env: NO_GIT })).notices[0]).toMatch(/was not found/);
});

test('a repository inside brings git in, and its rules hold', async () => {
  const inner = newRepository({ '.gitignore': 'x\n', a: '', x: '' });
  const root = temporaryFolder();
  write(root, { 'sub/a': '', 'sub/x': '' });
  git(join(root, 'sub'), 'init', '-q');
  writeFileSync(join(root, 'sub/.git/info/exclude'), 'x\n');
  expect(paths(await select(root), ['file'])).toEqual(['sub/a']);
  expect(paths(await select(inner), ['file'])).toEqual(['.gitignore', 'a']);
});

test('rules of the user for every repository hold without a repository too', async () => {
  const home = temporaryFolder();
  const root = temporaryFolder();
  write(root, { 'a.log': '', b: '' });
  write(home, { '.config/git/ignore': '*.log\n' });
  expect(paths(await select(root, { env: { homeDir: home } }))).toEqual(['b']);
  write(home, { '.config/git/ignore': '', rules: 'b\n', '.gitconfig': `[core]\nexcludesFile = ${home}/rules\n` });
  expect(paths(await select(root, { env: { homeDir: home } }))).toEqual(['a.log']);
});
