import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recoverApply } from '../../src/changes/apply/recover.ts';
import { ChangeStore } from '../../src/changes/store.ts';
import { parsePath } from '../../src/lib/path-bytes.ts';
import { applyingIn } from '../support/applying.ts';
import { cutApply } from '../support/cut-apply.ts';
import { described, found, plant } from '../support/disk-trees.ts';
import { edited, edits, tree } from '../support/trees.ts';
import { collect } from './collect-support.ts';

const RUNS = 2000;
/** Memory, where there is such a place: thousands of small trees are written. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const keyOf = (shown: string): string => parsePath(shown).toString('latin1');
const covers = (refused: string, key: string): boolean => key === refused || key.startsWith(`${refused}/`);

test('on a disk, what is applied equals what the agent left, but for what is refused by name; cut off anywhere, it equals the start', {
  timeout: 240_000,
}, async () => {
  const place = mkdtempSync(path.join(PLACE, 'apply-'));
  let [count, written, cut] = [0, 0, 0];
  try {
    await fc.assert(
      fc.asyncProperty(tree, edits, fc.nat(100), async (start, all, moment) => {
        const folder = mkdtempSync(path.join(place, 'r-'));
        const end = edited(start, all);
        const [root, runFolder] = [path.join(folder, 'repo'), path.join(folder, 'run')];
        for (const one of [root, path.join(runFolder, 'changes')]) mkdirSync(one, { recursive: true });
        const store = new ChangeStore(path.join(runFolder, 'changes'));
        plant(root, start);
        const { set } = await collect(start, end, { store });
        const work = applyingIn({ root, runFolder, set, store });
        const before = found(root);
        const steps = await cutApply(work, (length) => {
          const at = moment % (2 * length + 1);
          return { staged: Math.min(at, length), made: Math.max(0, at - length) };
        });
        await recoverApply(runFolder, store);
        expect(found(root)).toEqual(before);
        const { conflicts, notes } = await work.apply();
        expect([conflicts, notes]).toEqual([[], []]);
        const refused = set.refused.map((one) => keyOf(one.path));
        const [is, wanted] = [found(root), described(end)];
        for (const key of new Set([...is.keys(), ...wanted.keys()])) {
          if (refused.some((at) => covers(at, key))) expect(is.get(key), key).toEqual(before.get(key));
          else if (!refused.some((at) => covers(key, at))) expect(is.get(key), key).toEqual(wanted.get(key));
        }
        count += 1;
        cut += steps.length === 0 ? 0 : 1;
        written += set.changes.length;
        rmSync(folder, { recursive: true });
      }),
      { numRuns: RUNS },
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  expect(count).toBe(RUNS);
  expect(cut).toBeGreaterThan(RUNS / 2);
  expect(written).toBeGreaterThan(3 * RUNS);
});
