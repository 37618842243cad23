import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { git, newRepository, paths, select } from './support.ts';

const name = fc.constantFrom('a', 'b', 'a.o', 'b.o', 'build', 'keep', 'x\xe9', 'sp ace', '[b]');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const rule = fc.constantFrom(
  '*.o',
  'build/',
  '/a',
  '!keep',
  '!*.o',
  'a/b',
  '**/b',
  'x*',
  '/build/*',
  '!/build/keep',
  '\\[b\\]',
  'sp ace',
  '#c',
);

interface Tree {
  readonly files: readonly string[];
  readonly tracked: readonly string[];
  readonly rules: readonly { readonly folder: string; readonly lines: readonly string[] }[];
  readonly nested: readonly string[];
}

const tree: fc.Arbitrary<Tree> = fc.record({
  files: fc.array(path, { minLength: 1, maxLength: 25 }),
  tracked: fc.array(path, { maxLength: 5 }),
  rules: fc.array(
    fc.record({ folder: fc.oneof(fc.constant(''), path), lines: fc.array(rule, { minLength: 1, maxLength: 4 }) }),
    { maxLength: 4 },
  ),
  nested: fc.array(path, { maxLength: 1 }),
});

/** Makes what it can of the tree: a path that needs a folder where a file is, is left away. */
function make({ files, tracked, rules, nested }: Tree): string {
  const root = newRepository();
  const put = (file: string, text: string): boolean => {
    try {
      const target = Buffer.from(join(root, file), 'latin1');
      mkdirSync(Buffer.from(dirname(join(root, file)), 'latin1'), { recursive: true });
      writeFileSync(target, text);
      return true;
    } catch {
      return false;
    }
  };
  for (const file of tracked) if (put(file, 't')) git(root, 'add', '-f', '--', '.');
  for (const { folder, lines } of rules) put(join(folder, '.gitignore'), `${lines.join('\n')}\n`);
  for (const file of files) put(file, 'f');
  for (const folder of nested) {
    // Only plain names: the test's own git calls take text.
    if (/[^ -~]/.test(folder) || !put(join(folder, 'inner'), '')) continue;
    git(join(root, folder), 'init', '-q');
  }
  return root;
}

/** What git itself calls tracked or untracked-and-not-ignored, nested repositories included. */
function expected(root: string, prefix = ''): string[] {
  return git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    .split('\0')
    .filter((item) => item !== '')
    .flatMap((item) => (item.endsWith('/') ? expected(join(root, item), prefix + item) : [prefix + item]));
}

test('for random trees, rules and indexes the files are exactly those that git lists', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (input) => {
      const root = make(input);
      const found = paths(await select(root), ['file']);
      expect([...new Set(found)].sort()).toEqual([...new Set(expected(root))].sort());
    }),
    { numRuns: 60 },
  );
});

test('without git and with nothing tracked, the rule files give the same answer', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (input) => {
      const root = make({ ...input, tracked: [], nested: [] });
      const found = paths(await select(root, { env: { gitPath: '/nonexistent/git' } }), ['file']);
      expect(found.sort()).toEqual(expected(root).sort());
    }),
    { numRuns: 60 },
  );
});
