import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MAX_ASKS } from '../../src/gate/limits.ts';
import type { AskGate, GateQuestion, GateReply } from '../../src/protocol/gate.ts';
import { decision, TestGate } from './support.ts';

afterEach(() => void vi.useRealTimers());

/** Someone who is asked, and answers when the test does. */
class Person {
  readonly asked: { question: GateQuestion; signal: AbortSignal; answer: (reply: GateReply) => void }[] = [];
  readonly ask: AskGate = (question, signal) =>
    new Promise((answer) => void this.asked.push({ question, signal, answer }));
}

const LS = { command: 'ls' };
const ASK = () => decision('ask');

function asking(person: Person | undefined, decide = ASK): TestGate {
  const gate = new TestGate({ ...(person === undefined ? {} : { ask: person.ask }), decide });
  gate.saw(['c1', 'bash', LS], ['c2', 'bash', { command: 'two' }], ['c3', 'bash', { command: 'three' }]);
  return gate;
}

describe('a call that the policy wants to be asked for', () => {
  test('is denied when nobody can be asked, and says so', async () => {
    const gate = asking(undefined);
    expect(await gate.ask('c1', 'bash', LS)).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('nobody can be asked'),
    });
    expect(gate.records).toMatchObject([{ type: 'gate', by: 'no answer', rule: 'a-rule-that-says-ask' }]);
  });

  test('is put to the person with all that is to know, on record before', async () => {
    const person = new Person();
    const gate = asking(person);
    const answer = gate.ask('c1', 'bash', LS);
    await vi.waitFor(() => expect(person.asked).toHaveLength(1));
    const question = {
      ...{ ask: 1, call: 'c1', tool: 'bash', arguments: LS, rule: 'a-rule-that-says-ask', reason: 'Because of ask.' },
      ...{ subject: 'subject', claimed: false, timeoutMs: 1_000 },
    };
    expect(person.asked[0]?.question).toEqual(question);
    expect(gate.records).toEqual([{ source: 'observed', type: 'gate.ask', ...question }]);
    person.asked[0]?.answer({ decision: 'once' });
    expect(await answer).toEqual({ v: 1, verdict: 'allow' });
    expect(gate.records[1]).toMatchObject({ type: 'gate', verdict: 'allow', by: 'answer' });
  });

  test('is not asked twice', async () => {
    const person = new Person();
    const gate = asking(person);
    const answers = [gate.ask('c1', 'bash', LS), gate.ask('c1', 'bash', LS)];
    await vi.waitFor(() => expect(person.asked).toHaveLength(1));
    person.asked[0]?.answer({ decision: 'once' });
    expect(await Promise.all(answers)).toEqual([
      { v: 1, verdict: 'allow' },
      { v: 1, verdict: 'allow' },
    ]);
    await nextTurn();
    expect(person.asked).toHaveLength(1);
  });

  test('may be denied with a word for the model', async () => {
    const person = new Person();
    const gate = asking(person);
    const answer = gate.ask('c1', 'bash', LS);
    await vi.waitFor(() => expect(person.asked).toHaveLength(1));
    person.asked[0]?.answer({ decision: 'deny', note: `use git ls-files instead${'!'.repeat(5_000)}` });
    const { reason } = (await answer) as { reason: string };
    expect(reason).toMatch(/^Denied by the user: use git ls-files instead!/);
    expect(reason.length).toBeLessThan(1_100);
  });

  test('"for this run" covers what has the same rule and subject, and nothing else', async () => {
    const person = new Person();
    const gate = asking(person, (call?: { arguments: { command?: string } }) =>
      decision('ask', { subject: call?.arguments.command === 'three' ? 'other' : 'same' }),
    );
    const first = gate.ask('c1', 'bash', LS);
    await vi.waitFor(() => expect(person.asked).toHaveLength(1));
    person.asked[0]?.answer({ decision: 'run' });
    expect(await first).toMatchObject({ verdict: 'allow' });
    expect(await gate.ask('c2', 'bash', { command: 'two' })).toMatchObject({ verdict: 'allow' });
    expect(person.asked).toHaveLength(1);
    const third = gate.ask('c3', 'bash', { command: 'three' });
    await vi.waitFor(() => expect(person.asked).toHaveLength(2));
    person.asked[1]?.answer({ decision: 'deny' });
    expect(await third).toMatchObject({ verdict: 'deny', reason: 'Denied by the user.' });
  });

  test('several are put one at a time, in their order', async () => {
    const person = new Person();
    const gate = asking(person);
    const answers = [gate.ask('c2', 'bash', { command: 'two' }), gate.ask('c1', 'bash', LS)];
    for (const [at, call] of ['c2', 'c1'].entries()) {
      await vi.waitFor(() => expect(person.asked).toHaveLength(at + 1));
      await nextTurn();
      expect(person.asked[at]?.question).toMatchObject({ call, ask: at + 1 });
      person.asked[at]?.answer({ decision: 'once' });
    }
    expect(await Promise.all(answers)).toMatchObject([{ verdict: 'allow' }, { verdict: 'allow' }]);
  });

  test('without an answer in time is denied, and the question is taken back', async () => {
    vi.useFakeTimers();
    const person = new Person();
    const gate = asking(person);
    const answer = gate.ask('c1', 'bash', LS);
    await vi.advanceTimersByTimeAsync(999);
    expect(person.asked[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toMatchObject({ verdict: 'deny', reason: 'Because of ask. Nobody answered within 1 s.' });
    expect(person.asked[0]?.signal.aborted).toBe(true);
    person.asked[0]?.answer({ decision: 'run' });
    expect(await gate.ask('c1', 'bash', LS)).toMatchObject({ verdict: 'deny' });
  });

  test('that nobody waits for any more is taken back, and one behind it is never put', async () => {
    const person = new Person();
    const gate = asking(person);
    const abort = new AbortController();
    const first = gate.ask('c1', 'bash', LS, {}, abort.signal);
    const second = gate.ask('c2', 'bash', { command: 'two' }, {}, abort.signal);
    await vi.waitFor(() => expect(person.asked).toHaveLength(1));
    abort.abort();
    expect(await first).toMatchObject({ verdict: 'deny' });
    expect(await second).toMatchObject({ verdict: 'deny' });
    expect(person.asked).toHaveLength(1);
    expect(gate.ofType('gate')).toMatchObject([{ by: 'no answer' }, { by: 'no answer' }]);
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('gone'))],
    [
      'throws',
      () => {
        throw new Error('gone');
      },
    ],
  ] as [string, AskGate][])('is denied when who is asked %s', async (_what, ask) => {
    const gate = new TestGate({ ask, decide: ASK });
    gate.saw(['c1', 'bash', LS]);
    expect(await gate.ask('c1', 'bash', LS)).toMatchObject({ verdict: 'deny' });
    expect(gate.ofType('gate')).toMatchObject([{ by: 'no answer' }]);
  });

  test('only so many are put in one run', async () => {
    let asked = 0;
    const gate = new TestGate({
      ask: async () => {
        asked++;
        return { decision: 'once' };
      },
      decide: ASK,
    });
    for (let n = 0; n <= MAX_ASKS; n++) gate.saw([`c${n}`, 'bash', LS]);
    for (let n = 0; n < MAX_ASKS; n++) expect(await gate.ask(`c${n}`, 'bash', LS)).toMatchObject({ verdict: 'allow' });
    expect(await gate.ask(`c${MAX_ASKS}`, 'bash', LS)).toMatchObject({ verdict: 'deny' });
    expect(asked).toBe(MAX_ASKS);
  });

  test('long arguments are cut on record and whole in the question', async () => {
    const person = new Person();
    const gate = asking(person);
    const long = { command: 'x'.repeat(100_000) };
    gate.saw(['long', 'bash', long]);
    void gate.ask('long', 'bash', long);
    await vi.waitFor(() => expect(person.asked).toHaveLength(1));
    expect(person.asked[0]?.question.arguments).toEqual(long);
    expect(JSON.stringify(gate.records).length).toBeLessThan(20_000);
  });

  test('that the person denies by ending the turn is denied by an answer', async () => {
    const person = new Person();
    const gate = asking(person);
    const abort = new AbortController();
    const answer = gate.ask('c1', 'bash', LS, {}, abort.signal);
    await vi.waitFor(() => expect(person.asked).toHaveLength(1));
    const [asked] = person.asked;
    asked?.signal.addEventListener('abort', () => asked.answer({ decision: 'deny' }));
    abort.abort();
    expect(await answer).toMatchObject({ verdict: 'deny', reason: 'Denied by the user.' });
    expect(gate.records.at(-1)).toMatchObject({ by: 'answer' });
  });
});
