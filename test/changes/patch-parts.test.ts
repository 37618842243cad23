import { expect, test } from 'vitest';
import { type PatchPart, patchParts } from '../../src/changes/patch-parts.ts';
import { parsePath, showPath } from '../../src/lib/path-bytes.ts';
import { changeSet, type Tree } from '../support/change-sets.ts';
import { patchOf } from './support.ts';

async function partsOf(before: Tree, after: Tree): Promise<PatchPart[]> {
  const parts: PatchPart[] = [];
  const patch = await patchOf(changeSet(before, after));
  // Content is only lent.
  for await (const part of patchParts(patch.readable())) {
    parts.push(part.kind === 'line' ? { ...part, content: Buffer.from(part.content) } : part);
  }
  return parts;
}

test('content that looks like a patch is content', async () => {
  const fake = ['diff --git a/x b/x', '@@ -1,9 +1,9 @@', '-- a', '++ b', 'Binary files a/x and b/x differ', '\\ No'];
  const parts = await partsOf({ f: '' }, { f: fake.map((line) => `${line}\n`).join('') });
  expect(parts.map((part) => part.kind)).toEqual(['file', 'hunk', ...fake.map(() => 'line')]);
  expect(parts.flatMap((part) => (part.kind === 'line' ? [part.content.toString()] : []))).toEqual(fake);
});

test('names are those of the changes, whatever stands in them', async () => {
  const names = ['a b/a b', 'b/x b/b', 'q"\\x5c', '\\x0a\\x07\\x1b', 'caf\\xe9', 'ü', ' '];
  const parts = await partsOf({}, Object.fromEntries(names.map((name) => [name, 'x\n'])));
  const found = parts.flatMap((part) => (part.kind === 'file' ? [showPath(part.path)] : []));
  expect(found.sort()).toEqual(names.map((name) => showPath(parsePath(name))).sort());
});

test('hunks tell their lines of the new content, long lines their length', async () => {
  const long = 'y'.repeat(200_000);
  const parts = await partsOf({ f: 'a\nb\n', gone: 'x' }, { f: `a\n${long}\n` });
  expect(parts).toMatchObject([
    { kind: 'file' },
    { kind: 'hunk', start: 1, count: 2 },
    { kind: 'line', sign: ' ' },
    { kind: 'line', sign: '-' },
    { kind: 'line', sign: '+', bytes: long.length },
    { kind: 'file' },
    { kind: 'hunk', start: 0, count: 0 },
    { kind: 'line', sign: '-', bytes: 1 },
    { kind: 'no-newline' },
  ]);
});
