import { expect, test } from 'vitest';
import type { ContainerSummary } from '../../src/container/engine.ts';
import { requireOwnSlot, SlotTaken } from '../../src/container/slot.ts';
import { LABEL } from '../../src/protocol/labels.ts';

const SLOT = 7;
const held = (id: string, created: number, state = 'created'): ContainerSummary => ({
  id,
  labels: { [LABEL.slot]: String(SLOT) },
  state,
  created,
});

/** Whether this container keeps its pair of user ids, where these are there when it looks. */
async function keeps(own: string, there: readonly ContainerSummary[]): Promise<boolean> {
  try {
    await requireOwnSlot({ list: async () => [...there] }, own, SLOT);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SlotTaken);
    return false;
  }
}

test.each([
  ['create a', 'look a', 'create b', 'look b'],
  ['create a', 'create b', 'look a', 'look b'],
  ['create a', 'create b', 'look b', 'look a'],
  ['create b', 'look b', 'create a', 'look a'],
])('two that chose the same pair never both keep it: %s, %s, %s, %s', async (...order) => {
  // Whatever the engine says of their age: it counts in seconds, and from when it was asked.
  for (const [ageOfA, ageOfB] of [
    [1, 1],
    [1, 2],
    [2, 1],
  ] as const) {
    const there: ContainerSummary[] = [];
    const kept: string[] = [];
    for (const step of order) {
      const [what, who = ''] = step.split(' ');
      if (what === 'create') there.push(held(who, who === 'a' ? ageOfA : ageOfB));
      else if (await keeps(who, there)) kept.push(who);
    }
    expect(kept.length).toBeLessThanOrEqual(1);
  }
});

test('who is alone keeps it, also beside one that has ended', async () => {
  expect(await keeps('a', [held('a', 1)])).toBe(true);
  expect(await keeps('a', [held('a', 1), held('b', 0, 'exited')])).toBe(true);
});
