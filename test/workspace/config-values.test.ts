import { expect, test } from 'vitest';
import { configValues } from '../../src/workspace/config-values.ts';
import { declaredSubmodules } from '../../src/workspace/submodules.ts';
import { git, newRepository, paths, select, temporaryFolder, write } from './support.ts';

/** What a file of a repository may cost: far more than a linear reading takes, far less than any other. */
const MOST_MS = 1_500;

async function quickly<T>(work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  expect(performance.now() - start).toBeLessThan(MOST_MS);
  return result;
}

test.each([
  ['path = sub', ['sub']],
  ['\tpath=sub \t\r', ['sub']],
  ['PATH = "with blank "', ['with blank ']],
  ['path = a\npath = b=c', ['a', 'b=c']],
  ['path = caf\xc3\xa0', ['caf\xc3\xa0']],
  ['path = "', ['']],
  ['path', []],
  ['mypath = a\n# path = a\npath.x = a', []],
])('%j has the values %j', (text, values) => {
  expect(configValues(text, 'path')).toEqual(values);
});

test('submodules are known by what git itself writes', async () => {
  const root = temporaryFolder();
  for (const [name, path] of [
    ['a', 'libs/a'],
    ['b', 'odd name "x"'],
  ] as const)
    git(root, 'config', '-f', '.gitmodules', `submodule.${name}.path`, path);
  expect([...(await declaredSubmodules(root))]).toContain('libs/a');
});

test.each([
  ['blanks before quotes', `path =${' '.repeat(5_000)}""x`],
  ['empty lines', '\n'.repeat(1_000_000)],
  ['lines of blanks', ' \n'.repeat(500_000)],
  ['equal signs', '='.repeat(1_000_000)],
])('.gitmodules full of %s is read in no time', async (_what, text) => {
  const root = temporaryFolder();
  write(root, { '.gitmodules': text });
  await quickly(() => declaredSubmodules(root));
});

test('a git configuration full of empty lines is read in no time', async () => {
  const root = newRepository({ a: '' });
  write(root, { '.git/config': `${'\n'.repeat(150_000)}[core]\n\tbare = false\n` });
  expect(paths(await quickly(() => select(root)))).toEqual(['a']);
});
