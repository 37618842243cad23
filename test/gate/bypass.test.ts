import { describe, expect, test } from 'vitest';
import { decision, TestGate } from './support.ts';

const LS = { command: 'ls' };

describe('results that pi sends back', () => {
  test('of a call that was never asked about: a bypass, told once', () => {
    const gate = new TestGate();
    gate.saw(['c1', 'bash', LS]);
    expect(gate.back('c1')).toBe('A tool call (bash) was carried out without asking the gate');
    expect(gate.records).toEqual([
      { source: 'observed', type: 'gate.bypass', call: 'c1', tool: 'bash', kind: 'unasked' },
    ]);
    expect(gate.back('c1')).toBeUndefined();
    expect(gate.records).toHaveLength(1);
  });

  test('of a call that was denied: a bypass', async () => {
    const gate = new TestGate({ decide: () => decision('deny') });
    gate.saw(['c1', 'bash', LS]);
    await gate.ask('c1', 'bash', LS);
    expect(gate.back('c1')).toBe('A tool call (bash) was carried out although the gate had not allowed it');
    expect(gate.ofType('gate.bypass')).toMatchObject([{ call: 'c1', kind: 'ignored' }]);
  });

  test('of a call that still waits for its answer: a bypass', () => {
    const gate = new TestGate({ decide: () => new Promise(() => {}) });
    gate.saw(['c1', 'bash', LS]);
    void gate.ask('c1', 'bash', LS);
    expect(gate.back('c1')).toContain('had not allowed');
  });

  test.each([
    ['allow', {}],
    ['change', { arguments: LS }],
  ] as const)('of a call that may run (%s): none', async (verdict, more) => {
    const gate = new TestGate({ decide: () => decision(verdict, more) });
    gate.saw(['c1', 'bash', LS]);
    await gate.ask('c1', 'bash', LS);
    expect(gate.back('c1')).toBeUndefined();
  });

  test('that are errors: none, as pi refuses unknown tools, wrong arguments and aborted calls without asking', async () => {
    const gate = new TestGate({ decide: () => decision('deny') });
    gate.saw(['c1', 'bash', LS], ['c2', 'nosuch', undefined]);
    await gate.ask('c1', 'bash', LS);
    expect(gate.back('!c1', '!c2')).toBeUndefined();
    expect(gate.ofType('gate.bypass')).toEqual([]);
  });

  test('of calls that nobody saw: none', () => {
    expect(new TestGate().back('c9')).toBeUndefined();
  });

  test('an id that a model uses twice: the old result is no result of the new call, the new one is', async () => {
    const gate = new TestGate();
    gate.saw(['c1', 'bash', LS]);
    await gate.ask('c1', 'bash', LS);
    expect(gate.back('c1')).toBeUndefined();
    gate.saw(['c1', 'read', { path: 'a' }]);
    expect(gate.back('c1')).toBeUndefined();
    expect(gate.back('c1', '!c1')).toBeUndefined();
    expect(gate.back('c1', 'c1')).toContain('without asking');
  });

  test('the names in them are cut', () => {
    const gate = new TestGate();
    gate.saw(['c1', 'x'.repeat(1_000), LS]);
    expect(gate.back('c1')?.length).toBeLessThan(200);
  });
});
