import { describe, expect, it, vi } from 'vitest';
import { InOrder } from '../../src/cli/in-order.ts';
import type { SandboxRecord } from '../../src/protocol/record.ts';

let seq = 0;
const record = (type: string, rest: Record<string, unknown> = {}): SandboxRecord =>
  ({ v: 1, seq: ++seq, time: '2026-01-01T00:00:00Z', run: 'r', source: 'observed', type, ...rest }) as SandboxRecord;
const pi = (event: Record<string, unknown>): SandboxRecord => record('pi', { event });

function watched() {
  const shown: string[] = [];
  const order = new InOrder({
    record: ({ type, event }) => shown.push(type === 'pi' ? String((event as { type: string }).type) : type),
    delta: ({ text }) => shown.push(text),
    close: () => shown.push('closed'),
  });
  return { shown, order };
}

describe('a live transcript', () => {
  it('shows tool results before the words that answer them, although the gateway hears those first', () => {
    const { shown, order } = watched();
    order.record(record('gateway.request'));
    order.delta({ call: 2, kind: 'text', text: 'I see.' });
    order.record(record('gateway.response'));
    order.record(pi({ type: 'tool_execution_end' }));
    order.record(pi({ type: 'message_start', message: { role: 'assistant' } }));
    expect(shown).toEqual(['tool_execution_end', 'message_start', 'gateway.request', 'I see.', 'gateway.response']);
  });

  it('shows words as they stream once their message has started', () => {
    const { shown, order } = watched();
    order.record(record('gateway.request'));
    order.record(pi({ type: 'message_start', message: { role: 'assistant' } }));
    order.delta({ call: 1, kind: 'text', text: 'now' });
    expect(shown.at(-1)).toBe('now');
  });

  it('keeps the words of each call behind the tools before them, also when pi is a whole turn behind', () => {
    const { shown, order } = watched();
    order.record(record('gateway.request'));
    order.delta({ call: 1, kind: 'text', text: 'one' });
    order.record(record('gateway.request'));
    order.delta({ call: 2, kind: 'text', text: 'two' });
    order.record(pi({ type: 'message_start', message: { role: 'assistant' } }));
    order.record(pi({ type: 'tool_execution_end' }));
    order.record(pi({ type: 'message_start', message: { role: 'assistant' } }));
    expect(shown.filter((text) => !text.startsWith('gateway') && text !== 'message_start')).toEqual([
      'one',
      'tool_execution_end',
      'two',
    ]);
  });

  it('waits only so long for a message of pi, and not at all at the end', () => {
    vi.useFakeTimers();
    const { shown, order } = watched();
    order.record(record('gateway.request'));
    order.delta({ call: 1, kind: 'text', text: 'a summary' });
    expect(shown).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(shown).toEqual(['gateway.request', 'a summary']);
    order.record(record('gateway.request'));
    order.record(record('outcome'));
    expect(shown.slice(2)).toEqual(['gateway.request', 'outcome']);
    order.record(record('gateway.request'));
    order.close();
    expect(shown.slice(4)).toEqual(['gateway.request', 'closed']);
    vi.useRealTimers();
  });
});
