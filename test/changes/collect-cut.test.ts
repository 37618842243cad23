import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { END, rawMember } from '../support/raw-archive.ts';
import { archiveOf } from '../support/trees.ts';
import { changesOf, collect, dir, file, refusedOf, treeOf } from './collect-support.ts';

const start = treeOf({ 'kept.txt': file('kept'), 'd/inner.txt': file('inner'), 'gone.txt': file('gone') });

test.each([
  ['cut before its last member', (bytes: Buffer) => bytes.subarray(0, -2048)],
  ['cut in its last member', (bytes: Buffer) => bytes.subarray(0, -1200)],
  ['without an end', (bytes: Buffer) => bytes.subarray(0, -1024)],
  [
    'with another behind it',
    (bytes: Buffer) => Buffer.concat([bytes, rawMember({ name: './evil', content: 'x' }), END]),
  ],
])('an archive %s is partial, and nothing counts as deleted (EX12)', async (_, damage) => {
  const bytes = archiveOf(treeOf({ 'a.txt': file('new'), 'kept.txt': file('changed'), 'z.txt': file('last') }));
  const whole = await collect(start, bytes);
  expect(changesOf(whole)).toEqual([
    'add a.txt',
    'delete d',
    'delete d/inner.txt',
    'delete gone.txt',
    'modify kept.txt',
    'add z.txt',
  ]);
  const collected = await collect(start, damage(bytes));
  expect(collected.set.outcome).toBe('partial');
  expect(collected.set.reasons[0]).toContain('is not whole');
  expect(changesOf(collected).filter((one) => one !== 'add z.txt')).toEqual(['add a.txt', 'modify kept.txt']);
});

test('a new name may not be one with a name that a cut archive does not show (D47)', async () => {
  const bytes = archiveOf(treeOf({ 'GONE.txt': file('x'), 'z.txt': file('z') })).subarray(0, -1024);
  const collected = await collect(start, bytes);
  expect(refusedOf(collected)).toEqual(['name-collision GONE.txt']);
  expect(changesOf(collected)).toEqual(['add z.txt']);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['an end without a member', Buffer.alloc(10_240)],
  ['half a header', rawMember({ name: './', type: '5' }).subarray(0, 300)],
  ['an archive that is compressed (EX7)', gzipSync(archiveOf(treeOf({ 'a.txt': file('new') })))],
  ['an error text', Buffer.from('tar: cannot open: Permission denied\n'.repeat(30))],
])('%s instead of an archive is an error and never "no changes" (EX12)', async (_, bytes) => {
  await expect(collect(start, bytes)).rejects.toThrow('The sandbox gave back nothing');
});

test('an archive with the root alone says that all was deleted', async () => {
  expect(changesOf(await collect(start, treeOf({})))).toEqual([
    'delete d',
    'delete d/inner.txt',
    'delete gone.txt',
    'delete kept.txt',
  ]);
  expect(
    changesOf(
      await collect(
        start,
        treeOf({ 'kept.txt': file('kept'), d: dir, 'd/inner.txt': file('inner'), 'gone.txt': file('gone') }),
      ),
    ),
  ).toEqual([]);
});
