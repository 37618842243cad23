import { existsSync, readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { END, rawMember } from '../support/raw-archive.ts';
import { changesOf, collect, dir, file, refusedOf, treeOf } from './collect-support.ts';

const MiB = 1 << 20;

/** One file of this many MiB between two small ones. */
async function* largeFile(mebibytes: number, name = './big'): AsyncGenerator<Buffer> {
  yield rawMember({ name: './', type: '5' });
  yield rawMember({ name: './a', content: 'before' });
  yield rawMember({ name, size: mebibytes * MiB });
  const piece = Buffer.alloc(MiB, 'x');
  for (let count = 0; count < mebibytes; count += 1) yield piece;
  yield rawMember({ name: './z', content: 'after' });
  yield END;
}

async function measured<T>(run: () => Promise<T>): Promise<{ result: T; grown: number }> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const result = await run();
  clearInterval(timer);
  return { result, grown: most - before };
}

test('a file of 3 GB is refused and passed over with flat memory, and the rest is handed back (D49, EX7)', {
  timeout: 60_000,
}, async () => {
  const { result, grown } = await measured(() =>
    collect(treeOf({}), Buffer.alloc(0), { archive: Readable.from(largeFile(3000)), maxFileBytes: 100 * MiB }),
  );
  expect(changesOf(result)).toEqual(['add a', 'add z']);
  expect(refusedOf(result)).toEqual(['too-large big']);
  expect(result.set).toMatchObject({ outcome: 'partial', reasons: [expect.stringContaining('larger than')] });
  expect(grown).toBeLessThan(80 * MiB);
});

test('a compressed file is data and is never unpacked (EX7)', async () => {
  const once = gzipSync(Buffer.alloc(200 * MiB));
  const [bomb, nested] = [once, gzipSync(once)];
  expect(gunzipSync(bomb).length / bomb.length, 'what it would cost to unpack it').toBeGreaterThan(900);
  const collected = await collect(treeOf({}), treeOf({ 'bomb.gz': file(bomb), 'nested.gz': file(nested) }), {
    maxKeptBytes: bomb.length + nested.length,
  });
  expect(collected.set).toMatchObject({ outcome: 'complete', refused: [] });
  const kept = collected.set.changes.map(({ after }) =>
    after?.type === 'file' ? collected.store.readBlob(after.sha256) : undefined,
  );
  expect(kept).toEqual([bomb, nested]);
});

test('a large new file lies in the store under its hash', async () => {
  const collected = await collect(treeOf({}), Buffer.alloc(0), { archive: Readable.from(largeFile(40)) });
  expect(changesOf(collected)).toEqual(['add a', 'add big', 'add z']);
  const after = collected.set.changes[1]?.after;
  expect(after).toMatchObject({ type: 'file', size: 40 * MiB });
  expect(after?.type === 'file' && collected.store.readBlob(after.sha256).length).toBe(40 * MiB);
  expect(collected.set.outcome).toBe('complete');
});

test('all contents together have a limit, which makes the change set partial', async () => {
  const collected = await collect(
    treeOf({}),
    treeOf({ a: file('x'.repeat(60)), b: file('y'.repeat(60)), c: file('z') }),
    {
      maxKeptBytes: 100,
    },
  );
  expect(changesOf(collected)).toEqual(['add a', 'add c']);
  expect(refusedOf(collected)).toEqual(['too-large b']);
  expect(collected.set.outcome).toBe('partial');
});

const big = Buffer.alloc(3 * MiB, 'content ');
const more = Buffer.concat([big, Buffer.from('appended')]);

test.each([
  ['that did not change writes nothing', big, big, undefined, []],
  ['that did not change, where the host has another by now, leaves nothing', big, big, more, []],
  ['that grew is kept with what was at the start', big, more, undefined, [more, big]],
  ['whose end changed is kept although the host has another by now', big, more, Buffer.alloc(4 * MiB), [more]],
  ['that became one the host has by now is kept', big, more, more, [more]],
])('a large file %s', async (_, before, after, onHost, kept) => {
  const reads: string[] = [];
  const start = treeOf({ big: file(before) });
  const collected = await collect(start, treeOf({ big: file(after) }), {
    readStart: (at) => {
      reads.push(at.toString());
      return pieces(onHost ?? before);
    },
  });
  expect(changesOf(collected)).toEqual(kept.length === 0 ? [] : ['modify big']);
  const blobs = readdirSync(collected.store.folder).filter((name) => name !== 'changes.json');
  expect(blobs).toHaveLength(kept.length);
  for (const state of [collected.set.changes[0]?.after, collected.set.changes[0]?.before]) {
    if (state?.type !== 'file' || !collected.store.hasBlob(state.sha256)) continue;
    expect(kept.some((one) => one.equals(collected.store.readBlob(state.sha256)))).toBe(true);
  }
  expect(existsSync(`${collected.store.folder}/spool`)).toBe(false);
  expect(reads.length).toBeGreaterThan(0);
});

test('a large file that the user changes while it is compared is refused, never mixed', async () => {
  let reads = 0;
  const collected = await collect(treeOf({ big: file(big) }), treeOf({ big: file(more), d: dir }), {
    readStart: () => {
      reads += 1;
      return pieces(reads === 1 ? big : Buffer.alloc(3 * MiB, 'another '));
    },
  });
  expect(changesOf(collected)).toEqual(['add d']);
  expect(refusedOf(collected)).toEqual(['unreadable big']);
  expect(collected.set.outcome).toBe('partial');
});

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}
