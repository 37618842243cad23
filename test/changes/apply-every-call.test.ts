import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recoverApply } from '../../src/changes/apply/recover.ts';
import { type Applying, applying } from '../support/applying.ts';
import { killedAfter } from '../support/cut-calls.ts';

const FROM = { 'm.txt': 'old', 'gone/x': 'x', 'type/in': 'in', 'bit.sh': 'b', link: { link: 'm.txt' } };
const TO = { 'm.txt': 'new', 'made/n': 'n', type: 'file', 'bit.sh': { run: 'b' }, link: { link: 'made/n' } };
const EDIT = 'an edit after the end';

async function whole(): Promise<{ calls: number; start: Record<string, string>; end: Record<string, string> }> {
  const work = applying(FROM, TO);
  const start = work.tree();
  const calls = await killedAfter(Number.MAX_SAFE_INTEGER, () => work.apply());
  return { calls, start, end: work.tree() };
}

/** Cut off after so many calls; the recovery may be cut off as well. */
async function cutAndRecover(work: Applying, calls: number, edit: (work: Applying) => void, again = 0): Promise<void> {
  await killedAfter(calls, () => work.apply());
  edit(work);
  if (again > 0) await killedAfter(again, () => recoverApply(work.runFolder, work.store));
  await recoverApply(work.runFolder, work.store);
}

test('cut off at any call of the system, and the recovery at any of its own, the tree is the old one or the new one', {
  timeout: 60_000,
}, async () => {
  const { calls, start, end } = await whole();
  expect(calls).toBeGreaterThan(30);
  for (let at = 0; at <= calls; at++) {
    for (const again of [0, 1 + (at % 5), 6 + (at % 9)]) {
      const work = applying(FROM, TO);
      await cutAndRecover(work, at, () => {}, again);
      expect([start, end], `cut at ${at}, then at ${again}`).toContainEqual(work.tree());
    }
  }
});

test('an edit after a cut at any call stays, and all else is the old tree or the new one', {
  timeout: 60_000,
}, async () => {
  const { calls, start, end } = await whole();
  for (let at = 0; at <= calls; at++) {
    const files = await cutThenList(at);
    for (const name of files) {
      const work = applying(FROM, TO);
      await cutAndRecover(work, at, ({ root }) => writeFileSync(path.join(root, name), EDIT));
      expect(readFileSync(path.join(work.root, name), 'utf8'), `${name}, cut at ${at}`).toBe(EDIT);
      const rest = (tree: Record<string, string>) =>
        Object.fromEntries(
          Object.entries(tree).filter(
            ([one]) =>
              one !== name &&
              !one.startsWith(`${name}/`) &&
              !name.startsWith(`${one}/`) &&
              !/\.pi-sandbox-[^/]*\.old$/.test(one),
          ),
        );
      expect([rest(start), rest(end)], `${name}, cut at ${at}`).toContainEqual(rest(work.tree()));
      rmSync(work.root, { recursive: true });
    }
  }
});

/** Plain files that a user may see after a cut. */
async function cutThenList(at: number): Promise<string[]> {
  const work = applying(FROM, TO);
  await killedAfter(at, () => work.apply());
  return Object.entries(work.tree()).flatMap(([name, what]) =>
    /^(file|run) /.test(what) && !name.includes('.pi-sandbox-') ? [name] : [],
  );
}
