import { describe, expect, test } from 'vitest';
import type { SandboxRecord } from '../../src/protocol/record.ts';
import { RefusedCalls } from '../../src/run/refused-calls.ts';
import { stamped, toolCall } from '../support/runs.ts';

const RUN = '20261130T021610-3f9a2c';
type Fields = Readonly<Record<string, unknown>>;
const gate = (call: string, more: Fields): Fields => ({
  ...{ source: 'observed', type: 'gate', call, tool: 'bash', verdict: 'deny', rule: 'no', reason: 'r', by: 'policy' },
  ...{ seen: 'observed', durationMs: 1, ...more },
});
/** As pi tells of a call that did not come to its end. */
const failed = (id: string, text: string, durationMs?: number): Fields[] => {
  const [start, end] = toolCall(id, text) as [Fields, { event: Fields }];
  const { durationMs: _, ...event } = end.event as { durationMs?: number };
  return [start, { ...end, event: { ...event, isError: true, ...(durationMs === undefined ? {} : { durationMs }) } }];
};

function refused(records: readonly Fields[], max = 10) {
  const calls = new RefusedCalls(max);
  for (const record of stamped(RUN, records)) calls.take(record as SandboxRecord);
  const { refused: listed, refusals } = calls.result();
  return { listed: listed.map(({ number, call, stage, source }) => `${number} ${call} ${stage} ${source}`), refusals };
}

describe('the stage at which each call was turned away (M1)', () => {
  test('is the word of the gate where it has one, and else that of pi, marked', () => {
    const { listed } = refused([
      ...toolCall('a', 'fine'),
      ...failed('b', 'Tool bash not found'),
      ...failed('c', 'Validation failed for tool "bash": no'),
      gate('d', {}),
      ...failed('d', 'pi-sandbox: r'),
      gate('e', { by: 'guard', rule: 'guard' }),
      ...failed('e', 'pi-sandbox: r'),
      gate('f', { verdict: 'allow' }),
      ...failed('f', 'exit 3', 5),
      gate('g', { by: 'gateway', rule: 'gate.limit' }),
      ...failed('g', 'pi-sandbox: r'),
    ]);
    expect(listed).toEqual([
      '2 b unknown tool, as pi says claimed',
      '3 c invalid arguments, as pi says claimed',
      '4 d policy rule no observed',
      '5 e guard observed',
      '6 f tool error, as pi says claimed',
      '7 g limit, rule gate.limit observed',
    ]);
  });

  test('is told of calls that pi says nothing of, and no question of a stranger counts as one', () => {
    expect(refused([gate('a/1', { seen: 'claimed', parent: 'a' }), gate('b', { stray: true })]).listed).toEqual([
      'undefined a/1 policy rule no observed',
    ]);
  });

  test('is listed of so many calls and counted of all', () => {
    const calls = Array.from({ length: 30 }, (_, at) => failed(`c${at}`, 'Tool bash not found')).flat();
    expect(refused(calls, 3)).toMatchObject({ listed: expect.objectContaining({ length: 3 }), refusals: 30 });
  });

  test('holds no more than its bound of calls that never end', () => {
    const made = Array.from({ length: 5_000 }, (_, at) => gate(`c${at}`, {}));
    expect(refused(made).refusals).toBe(1_000);
  });
});
