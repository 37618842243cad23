import type { Message } from '@earendil-works/pi-ai';
import { describe, expect, test } from 'vitest';
import { fixedGateway } from './fixed-gateway.ts';
import { systemMessage, toolResult, userMessage } from './harness.ts';

const fixed = fixedGateway();
const OPENING = [systemMessage(), userMessage('hi')];
const CALL = { id: 'call_a', name: 'read' };

/** What the provider was sent in a call, counted from 0: its notes, by their place. */
function notesOf(call: number): [place: number, text: string][] {
  return fixed.source.calls[call]!.messages.flatMap(({ role, content }, place) =>
    role === 'user' && typeof content === 'string' && content.startsWith('[Note from the sandbox')
      ? [[place, content]]
      : [],
  );
}

/** A conversation one turn longer. */
async function ask(messages: readonly Message[]): Promise<Message[]> {
  const answer = await fixed.ask(messages);
  expect(answer.errorMessage).toBeUndefined();
  return [...messages, answer, toolResult(CALL, `result ${messages.length}`)];
}

describe('the model is told when little is left of a budget', () => {
  test('of calls: once, in a place that stays, on record, and not in what the container gets', async () => {
    await fixed.restart({ limits: { requests: 10 } });
    let messages: Message[] = OPENING;
    for (let call = 0; call < 10; call++) messages = await ask(messages);
    // The ninth call is the first with a fifth of ten left.
    expect(notesOf(7)).toEqual([]);
    const [[place, text] = []] = notesOf(8);
    expect(place).toBe(fixed.source.calls[8]!.messages.length - 1);
    expect(text).toMatch(/2 of 10 model calls, this one included, are left/);
    expect(notesOf(9)).toEqual([[place, text]]);
    // A prompt cache holds: the longer request begins with the shorter one.
    const [shorter, longer] = [fixed.source.calls[8]!, fixed.source.calls[9]!].map((call) => call.messages);
    expect(longer!.slice(0, shorter!.length)).toEqual(shorter);
    expect(JSON.stringify(messages)).not.toContain('Note from the sandbox');
    expect(fixed.harness.records.filter(({ type }) => type === 'gateway.note')).toEqual([
      { source: 'observed', type: 'gateway.note', call: 9, limit: 'gateway.requests', text },
    ]);
  });

  test('of money and of output tokens', async () => {
    await fixed.restart({ limits: { costUsd: 3, outputTokens: 2_000 } });
    fixed.source.outputTokens = 500;
    let messages: Message[] = OPENING;
    for (let call = 0; call < 4; call++) messages = await ask(messages);
    expect(notesOf(2)).toEqual([]);
    // Two calls at half a dollar are left of six, and less than two of 500 tokens.
    expect(notesOf(3).map(([, text]) => text)).toEqual([expect.stringContaining('500 of 2.0k output tokens are left')]);
    await fixed.restart({ limits: { costUsd: 3 } });
    messages = OPENING;
    for (let call = 0; call < 6; call++) messages = await ask(messages);
    expect(notesOf(4)).toEqual([]);
    expect(notesOf(5).map(([, text]) => text)).toEqual([expect.stringContaining('$0.50 of $3.00 of money are left')]);
  });

  test('of time', async () => {
    let now = 1_000_000;
    await fixed.restart({ wallMs: 600_000, now: () => now });
    let messages = await ask(OPENING);
    now += 500_000;
    messages = await ask(messages);
    await ask(messages);
    expect(notesOf(0)).toEqual([]);
    expect(notesOf(1).map(([, text]) => text)).toEqual([
      expect.stringContaining('1 m 40 s of 10 m 00 s of time are left'),
    ]);
    expect(notesOf(2)).toEqual(notesOf(1));
  });

  test('again at the end of a conversation that was made shorter, but not on record, and not in calls without tools', async () => {
    await fixed.restart({ limits: { requests: 5 } });
    let messages: Message[] = OPENING;
    for (let call = 0; call < 3; call++) messages = await ask(messages);
    await fixed.ask([{ role: 'user', content: 'Summarise this.', timestamp: 4 }]);
    expect(notesOf(3)).toEqual([]);
    await fixed.ask([systemMessage(), userMessage('The summary of what was before.')]);
    expect(notesOf(4)).toHaveLength(1);
    expect(fixed.harness.records.filter(({ type }) => type === 'gateway.note')).toHaveLength(1);
  });
});

test.each(['costUsd', 'outputTokens'] as const)(
  'an answer that is cut off because %s allowed no more ends the run by that name',
  async (limit) => {
    await fixed.restart({ limits: { costUsd: 0.75, outputTokens: limit === 'costUsd' ? 5_000 : 500 } });
    fixed.source.worst = (output) => (limit === 'costUsd' ? output / 1_000 : 0);
    fixed.source.stopReason = 'length';
    expect((await fixed.ask()).stopReason).toBe('length');
    expect(fixed.source.calls[0]?.maxTokens).toBe(limit === 'costUsd' ? 750 : 500);
    expect(fixed.harness.failures).toMatchObject([{ kind: 'limit', limit: `gateway.${limit}` }]);
  },
);

test('an answer that is cut off at what the model can say is no limit of the run', async () => {
  fixed.source.stopReason = 'length';
  expect((await fixed.ask()).stopReason).toBe('length');
  expect(fixed.harness.failures).toEqual([]);
});
