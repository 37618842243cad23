import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { StdinAsk } from '../../../src/cli/gate/stdin-ask.ts';
import { QUESTION } from './support.ts';

function program() {
  const input = new PassThrough();
  const warnings: string[] = [];
  const heard = new Set<() => void>();
  const asking = new StdinAsk(input, (text) => {
    warnings.push(text);
    for (const look of heard) look();
  });
  const ask = (number: number, signal = new AbortController().signal) => {
    const reply = asking.ask({ ...QUESTION, ask: number }, signal);
    reply.catch(() => {});
    return reply;
  };
  const warned = (count: number) =>
    new Promise<void>((resolve) => {
      const look = (): void => void (warnings.length >= count && resolve());
      heard.add(look);
      look();
    });
  const say = (value: unknown): void =>
    void input.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
  return { input, warnings, ask, say, warned };
}

test.each([
  [{ decision: 'once' }, { decision: 'once' }],
  [{ decision: 'run', note: 'ignored' }, { decision: 'run' }],
  [{ decision: 'deny' }, { decision: 'deny' }],
  [
    { decision: 'deny', note: 'no' },
    { decision: 'deny', note: 'no' },
  ],
])('the line %j is an answer', async (line, reply) => {
  const { ask, say, warnings } = program();
  const asked = ask(1);
  say({ v: 1, ask: 1, ...line });
  expect(await asked).toEqual(reply);
  expect(warnings).toEqual([]);
});

test('several questions can be open, and are answered by number', async () => {
  const { ask, say } = program();
  const asked = [ask(1), ask(2)];
  say({ v: 1, ask: 2, decision: 'deny' });
  say({ v: 1, ask: 1, decision: 'once' });
  expect(await Promise.all(asked)).toEqual([{ decision: 'once' }, { decision: 'deny' }]);
});

test.each([
  ['no JSON', '{"v":1'],
  ['another version', { v: 2, ask: 1, decision: 'once' }],
  ['no such decision', { v: 1, ask: 1, decision: 'always' }],
  ['an unknown key', { v: 1, ask: 1, decision: 'once', why: 'x' }],
  ['a note that is too long', { v: 1, ask: 1, decision: 'deny', note: 'x'.repeat(1_001) }],
  ['another number', { v: 1, ask: 2, decision: 'once' }],
  ['a line that is too long', 'x'.repeat(20_000)],
])('%s is no answer, and the question stays open', async (_, line) => {
  const { ask, say, warnings, warned } = program();
  const asked = ask(1);
  say(line);
  await warned(1);
  expect(warnings[0]).toContain('is no answer');
  say({ v: 1, ask: 1, decision: 'deny' });
  expect(await asked).toEqual({ decision: 'deny' });
});

test('an answer that comes before its question does not lie in wait for it', async () => {
  const { ask, say, warned, warnings } = program();
  say({ v: 1, ask: 1, decision: 'run' });
  await warned(1);
  expect(warnings[0]).toContain('no question 1 is open');
  const asked = ask(1);
  say({ v: 1, ask: 1, decision: 'deny' });
  expect(await asked).toEqual({ decision: 'deny' });
});

test('a second answer to one question is none', async () => {
  const { ask, say, warned } = program();
  const asked = ask(1);
  say({ v: 1, ask: 1, decision: 'deny' });
  say({ v: 1, ask: 1, decision: 'run' });
  await warned(1);
  expect(await asked).toEqual({ decision: 'deny' });
});

test('the end of input ends open questions and all later ones without an answer', async () => {
  const { input, ask } = program();
  const asked = ask(1);
  input.end('{"v":1,"ask":1,"decision":"once"}');
  await expect(asked).rejects.toThrow('standard input has ended');
  await expect(ask(2)).rejects.toThrow('standard input has ended');
});

test('an input that fails is the end of it', async () => {
  const { input, ask } = program();
  const asked = ask(1);
  input.destroy(new Error('EIO'));
  await expect(asked).rejects.toThrow('cannot be read: EIO');
});

test('a question that is withdrawn is closed', async () => {
  const { ask, say, warned, warnings } = program();
  const abort = new AbortController();
  const asked = ask(1, abort.signal);
  abort.abort(new Error('late'));
  await expect(asked).rejects.toThrow('late');
  say({ v: 1, ask: 1, decision: 'once' });
  await warned(1);
  expect(warnings[0]).toContain('no question 1 is open');
});

test('complaints are bounded', async () => {
  const { ask, say, warnings } = program();
  const asked = ask(1);
  for (let count = 0; count < 100; count++) say('nonsense');
  say({ v: 1, ask: 1, decision: 'once' });
  await asked;
  expect(warnings).toHaveLength(20);
});
