import { expect, it } from 'vitest';
import { PiTally } from '../../src/events/pi-tally.ts';

it('counts events, damage by reason, and unknown types by name', () => {
  const tally = new PiTally();
  tally.count({ kind: 'event', event: { type: 'agent_start' } });
  tally.count({ kind: 'damaged', reason: 'torn', bytes: 1, preview: '' });
  tally.count({ kind: 'unknown', type: '__proto__', event: {} });
  tally.count({ kind: 'unknown', type: 'new_event', event: {} });
  tally.count({ kind: 'unknown', type: 'new_event', event: {} });
  expect(tally.events).toBe(1);
  expect(tally.damaged.torn).toBe(1);
  expect(tally.damagedItems).toBe(1);
  expect(Object.entries(tally.unknown)).toContainEqual(['new_event', 2]);
});

it('does not grow with the number of invented types', () => {
  const tally = new PiTally();
  for (let at = 0; at < 10_000; at++) tally.count({ kind: 'unknown', type: `t${at}`, event: {} });
  expect(Object.keys(tally.unknown)).toHaveLength(33);
  expect(tally.unknown['(other)']).toBe(10_000 - 32);
});
