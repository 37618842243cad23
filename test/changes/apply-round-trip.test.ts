import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recoverApply } from '../../src/changes/apply/recover.ts';
import { ChangeStore } from '../../src/changes/store.ts';
import { joinPath, parsePath } from '../../src/lib/path-bytes.ts';
import { applyingIn } from '../support/applying.ts';
import { cutApply } from '../support/cut-apply.ts';
import { edited, edits, type Tree, tree } from '../support/trees.ts';
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

function plant(root: string, all: Tree): void {
  for (const [key, node] of all) {
    const place = joinPath(Buffer.from(root), Buffer.from(key, 'latin1'));
    if (node.type === 'dir') mkdirSync(place);
    else if (node.type === 'symlink') symlinkSync(node.target, place);
    else {
      writeFileSync(place, node.content);
      chmodSync(place, node.mode);
    }
  }
}

function described(all: Tree): Map<string, string> {
  return new Map(
    [...all].map(([key, node]) => {
      if (node.type === 'dir') return [key, 'dir'];
      if (node.type === 'symlink') return [key, `link ${node.target.toString('latin1')}`];
      return [key, `${(node.mode & 0o100) === 0 ? 'file' : 'run'} ${node.content.toString('latin1')}`];
    }),
  );
}

function found(root: string): Map<string, string> {
  const all = new Map<string, string>();
  const walk = (inner: Buffer): void => {
    const names = readdirSync(joinPath(Buffer.from(root), inner), { encoding: 'buffer' });
    for (const name of names.sort(Buffer.compare)) {
      const relative = joinPath(inner, name);
      const place = joinPath(Buffer.from(root), relative);
      const stats = lstatSync(place);
      const text = stats.isDirectory()
        ? 'dir'
        : stats.isSymbolicLink()
          ? `link ${readlinkSync(place, { encoding: 'buffer' }).toString('latin1')}`
          : `${(stats.mode & 0o100) === 0 ? 'file' : 'run'} ${readFileSync(place).toString('latin1')}`;
      all.set(relative.toString('latin1'), text);
      if (text === 'dir') walk(relative);
    }
  };
  walk(Buffer.alloc(0));
  return all;
}
