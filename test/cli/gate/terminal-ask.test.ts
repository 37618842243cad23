import { expect, test } from 'vitest';
import { FakeTerminal } from './support.ts';

const PROMPT = 'Allow it?';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

async function answered(...keys: readonly string[]) {
  const tty = new FakeTerminal();
  const reply = tty.ask();
  for (const [at, key] of keys.entries()) {
    await tty.until(PROMPT, at + 1);
    tty.type(key);
  }
  return { tty, reply: await reply };
}

test.each([
  ['y\r', { decision: 'once' }],
  ['YES\r', { decision: 'once' }],
  ['r\r', { decision: 'run' }],
])('%j at the terminal is an answer', async (keys, reply) => {
  expect((await answered(keys)).reply).toEqual(reply);
});

test('the question says what is asked for, why, who knows it and what a yes for the run covers', async () => {
  const { tty } = await answered('y\r');
  for (const part of [
    '? Question 1: may the tool bash do this?\n  | git push origin main\n',
    'Rule git-push asks, because:\n  | Pushing changes what others have.\n',
    'the gateway saw the model ask for exactly this (observed)',
    'in this run also whatever else rule git-push asks about\n  | git push\n',
    'No answer within 5 m 00 s is a no.',
  ])
    expect(tty.text).toContain(part);
});

test('a call that only the process of pi knows is shown as such', async () => {
  const tty = new FakeTerminal();
  void tty.ask({ claimed: true });
  await tty.until(PROMPT);
  expect(tty.text).toContain('(claimed)');
  expect(tty.text).not.toContain('(observed)');
});

test('n asks for a word to the model and hands it on', async () => {
  const tty = new FakeTerminal();
  const reply = tty.ask();
  await tty.until(PROMPT);
  tty.type('n\r');
  await tty.until('A word to the model?');
  tty.type('use a branch\r');
  expect(await reply).toEqual({ decision: 'deny', note: 'use a branch' });
});

test('n without a word is a denial without a note', async () => {
  const tty = new FakeTerminal();
  const reply = tty.ask();
  await tty.until(PROMPT);
  tty.type('n\r');
  await tty.until('A word to the model?');
  tty.type('\r');
  expect(await reply).toEqual({ decision: 'deny' });
});

test('nothing and anything else asks again', async () => {
  const { tty, reply } = await answered('\r', 'yy\r', 'sure\r', 'v\r', 'y\r');
  expect(reply).toEqual({ decision: 'once' });
  expect(tty.text.split('Please type one of y, r, n, and Enter.')).toHaveLength(5);
});

test('what is never an answer ends as none', async () => {
  const tty = new FakeTerminal();
  const reply = tty.ask();
  for (let tries = 1; tries <= 20; tries++) {
    await tty.until(PROMPT, tries);
    tty.type('?\r');
  }
  await expect(reply).rejects.toThrow('what was typed is no answer');
  expect(tty.text).toContain('Denied: what was typed is no answer.');
});

test('what was typed before the question was shown answers nothing', async () => {
  const tty = new FakeTerminal();
  tty.type('y\ry\ry\r');
  const reply = tty.ask();
  await tty.until(PROMPT);
  expect(tty.text).toContain('What was typed before this question could be read is no answer.');
  const early = await Promise.race([reply, new Promise((resolve) => setImmediate(() => resolve('open')))]);
  expect(early).toBe('open');
  tty.type('n\r');
  await tty.until('A word to the model?');
  tty.type('\r');
  expect(await reply).toEqual({ decision: 'deny' });
});

test('typing that goes on while the question appears answers nothing', async () => {
  const tty = new FakeTerminal();
  const reply = tty.ask();
  await tty.until('? Question 1');
  tty.type('y');
  setTimeout(() => tty.type('\r'), 100);
  await tty.until(PROMPT);
  tty.type('r\r');
  expect(await reply).toEqual({ decision: 'run' });
});

test('answers to one question are not left for the next', async () => {
  const tty = new FakeTerminal();
  const first = tty.ask();
  await tty.until(PROMPT);
  tty.type('y\ry\r');
  expect(await first).toEqual({ decision: 'once' });
  const second = tty.ask({ ask: 2 });
  await tty.until(PROMPT, 2);
  tty.type('r\r');
  expect(await second).toEqual({ decision: 'run' });
});

test.each([
  ['at the question', PROMPT, []],
  ['while the question appears', '? Question 1', []],
  ['in place of a word to the model', 'A word to the model?', ['n\r']],
])('Ctrl-C %s denies, and means what it means elsewhere', async (_, at, before) => {
  const tty = new FakeTerminal();
  const reply = tty.ask();
  for (const keys of before) {
    await tty.until(PROMPT);
    tty.type(keys);
  }
  await tty.until(at);
  tty.type(CTRL_C);
  expect(await reply).toEqual({ decision: 'deny' });
  expect(tty.interrupts).toBe(1);
});

test('Ctrl-C denies in the end also when there is no turn to end', async () => {
  const tty = new FakeTerminal();
  const reply = tty.ask({}, new AbortController().signal);
  await tty.until(PROMPT);
  tty.type(CTRL_C);
  expect(await reply).toEqual({ decision: 'deny' });
  expect(tty.raw.at(-1)).toBe(false);
});

test('the end of the terminal is no answer', async () => {
  const tty = new FakeTerminal();
  const reply = tty.ask();
  await tty.until(PROMPT);
  tty.type(CTRL_D);
  await expect(reply).rejects.toThrow('nobody is at the terminal');
  expect(tty.interrupts).toBe(0);
});

test.each([PROMPT, '? Question 1'])('a question that is withdrawn at "%s" closes and says why', async (at) => {
  const tty = new FakeTerminal();
  const abort = new AbortController();
  const reply = tty.ask({}, abort.signal);
  await tty.until(at);
  abort.abort(new Error('the time for the answer is over'));
  await expect(reply).rejects.toThrow();
  expect(tty.text).toContain('Denied: the time for the answer is over.');
});

test('a question that is withdrawn before its turn is not shown', async () => {
  const tty = new FakeTerminal();
  await expect(tty.ask({}, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  expect(tty.shown).toBe('');
});

test('the terminal is left as it was', async () => {
  const { tty } = await answered('y\r');
  expect(tty.raw[0]).toBe(true);
  expect(tty.raw.at(-1)).toBe(false);
});
