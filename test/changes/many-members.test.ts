import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { MAX_CHANGES, MAX_MEMBERS } from '../../src/changes/limits.ts';
import { END, rawMember } from '../support/raw-archive.ts';
import { changesOf, collect, file, treeOf } from './collect-support.ts';

const MiB = 1 << 20;
/** Seconds on an idle machine. */
const TIMEOUT_MS = 60_000;

async function* archiveOf(count: number, member: (number: number) => Buffer): AsyncGenerator<Buffer> {
  yield rawMember({ name: './', type: '5' });
  for (let number = 0; number < count; number += 1000) {
    const some = Array.from({ length: Math.min(1000, count - number) }, (_, at) => member(number + at));
    yield Buffer.concat(some);
  }
  yield END;
}

test('more new files than a change set can hold make it partial, and are counted (EX8)', {
  timeout: TIMEOUT_MS,
}, async () => {
  const archive = Readable.from(archiveOf(MAX_CHANGES + 10, (number) => rawMember({ name: `./f${number}` })));
  const { set } = await collect(treeOf({}), Buffer.alloc(0), { archive });
  expect(set).toMatchObject({
    outcome: 'partial',
    reasons: [`There are more than ${MAX_CHANGES} changes.`],
    refusedCount: 10,
  });
  expect(set.changes).toHaveLength(MAX_CHANGES);
  expect(set.refused.map(({ reason, path }) => `${reason} ${path}`)).toContain(`too-many f${MAX_CHANGES}`);
});

test('an archive without end is read up to a limit, with flat memory (EX8)', { timeout: TIMEOUT_MS }, async () => {
  const same = rawMember({ name: './same' });
  const before = process.memoryUsage.rss();
  const archive = Readable.from(archiveOf(MAX_MEMBERS + 10, () => same));
  const collected = await collect(treeOf({ gone: file('x') }), Buffer.alloc(0), { archive });
  expect(collected.set.outcome).toBe('partial');
  expect(collected.set.reasons).toEqual([expect.stringContaining('is not whole')]);
  expect(changesOf(collected)).toEqual([]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MiB);
});
