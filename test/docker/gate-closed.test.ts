import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { GATE_TIMEOUT_MS } from '../../src/plan/limits.ts';
import type { Decision } from '../../src/protocol/gate.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { testImage } from '../support/engine.ts';
import { type GateRun, type GateRunOptions, gateRun } from '../support/gate-run.ts';
import { BUILD_MS, ImageMaker } from '../support/image-making.ts';
import { imageReady } from '../support/image-ready.ts';
import { endOf, textOf } from '../support/pi-records.ts';
import { bash, Session } from '../support/session.ts';

const session = new Session();
const maker = new ImageMaker();
const repo = session.repository('repo', { 'README.md': 'hello\n' });
const guard = readFileSync(path.join(import.meta.dirname, '../../dist/images/guest/guard.mjs'), 'utf8');
const ALLOW: Decision = { verdict: 'allow', rule: 'all', reason: 'The test allows all.', subject: '', matched: [] };
/** Would leave a trace if it ran. */
const TURNS = [bash('touch ran.txt'), { text: 'done' }];

beforeAll(async () => {
  await imageReady();
  await maker.open();
}, BUILD_MS);

/** An image like the current one, with another guard. */
async function imageWith(text: string): Promise<{ image: string; sha256: string }> {
  const encoded = Buffer.from(text).toString('base64');
  // In pieces: a line of a build file has its length.
  const pieces = encoded.match(/.{1,50000}/g) ?? [];
  const lines = pieces.map((piece, at) => `RUN echo ${piece} ${at === 0 ? '>' : '>>'} /guard.b64`);
  const image = await maker.vary(
    await testImage(),
    ...lines,
    `RUN base64 -d /guard.b64 > ${GUEST.guard} && rm /guard.b64`,
  );
  return { image, sha256: createHash('sha256').update(text).digest('hex') };
}

/** The guard with one piece of its text replaced; the piece must be there. */
function changed(from: string, to: string): string {
  if (!guard.includes(from)) throw new Error(`the guard does not have ${from}`);
  return guard.replace(from, to);
}

const run = (options: Partial<GateRunOptions> = {}): Promise<GateRun> =>
  gateRun({ repo, turns: TURNS, decide: () => ALLOW, ...options });

/** The call was turned away with this word, left no trace, and everything else went on. */
function expectBlocked(done: GateRun, why: string | RegExp): void {
  expect(textOf(done.records, 'call_1_1')).toMatch(why);
  expect(endOf(done.records, 'call_1_1')).toMatchObject({ isError: true });
  expect(done.changes?.changed).toBe(0);
  expect(done.outcome).toMatchObject({ outcome: 'completed', exitCode: 0 });
  expect(done.records.filter(({ type }) => type === 'gate.bypass')).toEqual([]);
}

test('with its guard as it is, the call runs', async () => {
  const done = await run();
  expect(done.changes?.changed).toBe(1);
});

describe('a start with a guard that is not the one of this version fails (M10)', () => {
  test.each([
    ['missing', `RUN rm ${GUEST.guard}`, 'copy'],
    ['altered', `RUN echo '//' >> ${GUEST.guard}`, 'copy'],
    ['altered, over a mounted folder', `RUN echo '//' >> ${GUEST.guard}`, 'mount'],
    ['a link to another file', `RUN ln -sf /etc/passwd ${GUEST.guard}`, 'copy'],
  ])('%s', async (_what, line, mode) => {
    const image = await maker.vary(await testImage(), line);
    const ended = await session.run(repo, TURNS, {
      args: ['--image', image, ...(mode === 'mount' ? ['--workspace', 'mount', '--profile', 'review'] : [])],
    });
    expect(ended.code).toBe(5);
    expect(ended.records.at(-1)).toMatchObject({
      outcome: 'sandbox_failed',
      reason: 'The guard in the image is missing or is not the one of this version.',
    });
    expect(ended.records.some(({ type }) => type === 'gateway.request')).toBe(false);
  });
});

describe('a guard that does not work blocks the call, and says so (M10)', () => {
  const ASK = 'await askInTurn(question';

  test.each([
    ['throws', ASK, 'await Promise.reject(new Error("a broken guard")); await askInTurn(question', /a broken guard/],
    ['cannot reach the host', 'port = GATEWAY_PORT', 'port = GATEWAY_PORT + 1', /cannot be reached .*ECONNREFUSED/],
    ['asks for something else', 'GATE_PATH = "/gate"', 'GATE_PATH = "/other"', /refused the question \(404\)/],
    ['asks with another id', 'call,\n    tool,', 'call: "call_9_9",\n    tool,', /did not ask for this call/],
    [
      'asks about other arguments',
      'arguments: input,',
      'arguments: { command: "true" },',
      /not those that the model gave/,
    ],
    ['asks no question', 'arguments: input,', 'arguments: 5,', /refused the question \(400\)/],
  ])('%s', async (_what, from, to, why) => {
    const { image, sha256 } = await imageWith(changed(from, to));
    expectBlocked(await run({ guardSha256: sha256, request: { image } }), why);
  });

  test('throws outside of what it catches', async () => {
    const { image, sha256 } = await imageWith(
      changed('const found = pathsOfCall(', 'throw new Error("a fault"); const found = pathsOfCall('),
    );
    expectBlocked(await run({ guardSha256: sha256, request: { image } }), /^a fault$/);
  });

  test('hangs: the call never runs, and the idle limit ends the run', async () => {
    const { image, sha256 } = await imageWith(changed(ASK, 'await new Promise(() => {}); await askInTurn(question'));
    const done = await run({ guardSha256: sha256, request: { image, idleTimeoutMs: 5_000 } });
    expect(done.outcome).toMatchObject({ outcome: 'limit_reached', limit: 'idleMs' });
    expect(done.changes?.changed).toBe(0);
  });
});

describe('a host that does not decide blocks the call, and says so (M10)', () => {
  test('it throws', async () => {
    const done = await run({
      decide: () => {
        throw new Error('a fault of the policy');
      },
    });
    expectBlocked(done, 'The policy could not decide on this call: a fault of the policy.');
    expect(done.records.filter(({ type }) => type === 'gate')).toMatchObject([
      { verdict: 'deny', rule: 'gate.failed' },
    ]);
  });

  test('it hangs: the guard has a timer of its own', async () => {
    const done = await run({ decide: () => new Promise(() => {}) });
    expectBlocked(done, `the host was asked, and it gave no answer within ${GATE_TIMEOUT_MS / 1_000} s`);
    expect(done.records.filter(({ type }) => type === 'gate')).toMatchObject([
      { verdict: 'deny', rule: 'gate.failed' },
    ]);
  });

  test('it wants a change and names none', async () => {
    expectBlocked(await run({ decide: () => ({ ...ALLOW, verdict: 'change' }) }), 'could not decide');
  });

  test('a person who is asked and never answers', async () => {
    const asks: Decision = { ...ALLOW, verdict: 'ask', reason: 'The test asks.' };
    const policy = path.join(session.folder, 'short.json');
    writeFileSync(policy, JSON.stringify({ version: 1, ask: { timeout: '2s' } }));
    const done = await run({ decide: () => asks, askGate: () => new Promise(() => {}), request: { policy } });
    expectBlocked(done, 'The test asks. Nobody answered within 2 s.');
  });
});
