import { expect, test } from 'vitest';
import { changesOf, collect, dir, file, refusedOf, treeOf } from './collect-support.ts';

const isIgnored = (path: Buffer, folder: boolean) => {
  const name = path.toString();
  return name.endsWith('.o') || (folder && name.endsWith('cache')) || name.includes('cache/');
};

test('what is new and ignored stays in the sandbox and is listed, a folder once for all in it (D50)', async () => {
  const start = treeOf({ 'a.c': file('1') });
  const end = treeOf({
    'a.c': file('2'),
    'b.c': file('3'),
    'b.o': file('4'),
    'cache/x': file('5'),
    'cache/y/z': file('6'),
  });
  const found = await collect(start, end, { isIgnored });
  expect(changesOf(found)).toEqual(['modify a.c', 'add b.c']);
  expect(refusedOf(found)).toEqual([]);
  expect(found.set).toMatchObject({
    ignored: ['b.o', 'cache/'],
    ignoredCount: 5,
    refusedCount: 0,
    outcome: 'complete',
  });
  const all = await collect(start, end);
  expect(changesOf(all)).toEqual([
    'modify a.c',
    'add b.c',
    'add b.o',
    'add cache',
    'add cache/x',
    'add cache/y',
    'add cache/y/z',
  ]);
});

test('what was there at the start is handed back, ignored or not', async () => {
  const start = treeOf({ 'kept.o': file('1'), 'cache/x': file('1'), 'gone.o': file('1') });
  const found = await collect(start, treeOf({ 'kept.o': file('2'), 'cache/x': file('2') }), { isIgnored });
  expect(changesOf(found)).toEqual(['modify cache/x', 'delete gone.o', 'modify kept.o']);
  const grown = await collect(start, treeOf({ ...Object.fromEntries(start), 'cache/new': file('3'), cache: dir }), {
    isIgnored,
  });
  expect(grown.set.ignored).toEqual(['cache/new']);
});
