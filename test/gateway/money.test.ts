import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { resolveModel } from '../../src/gateway/model-source.ts';
import { formatUsd } from '../../src/lib/format.ts';
import { readLedger } from '../../src/transcript/read-ledger.ts';
import { fakeUpstream, sse } from '../support/fake-upstream.ts';
import { ANTHROPIC } from '../support/fake-upstream-styles.ts';
import { askAsPi, type Harness, startGateway, systemMessage, userMessage } from './harness.ts';
import { type Behaviour, MeteredSource } from './metered-source.ts';

const OPENING = [systemMessage(), userMessage('hi')];
const WHOLE: Behaviour = { output: 1, input: 0.3, slowness: 2, reports: true };

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const charged = (of: Harness): number[] =>
  of.ledger.flatMap((entry) => (entry.entry === 'close' ? [Math.round(entry.usage.costUsd * 1e9)] : []));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('a budget of money', () => {
  test('fifty calls at once against a budget for one: one is made, and the run ends by name (BR10)', async () => {
    const source = new MeteredSource(() => WHOLE);
    // One call with 2,000 output tokens is 0.03 for these and less than 0.01 for its input.
    harness = await startGateway(source, { limits: { costUsd: 0.04, concurrentCalls: 50, requests: 50 } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => askAsPi(harness!, 'metered', OPENING)));
    expect(source.calls).toBe(1);
    expect(source.taken).toBeLessThanOrEqual(40_000_000);
    const refused = answers.filter(({ stopReason }) => stopReason === 'error');
    expect(refused).toHaveLength(49);
    for (const answer of refused) expect(isRetryableAssistantError(answer)).toBe(false);
    expect(harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.costUsd' }]);
    expect(harness.failures[0]?.message).toMatch(/\$0\.00 of \$0\.0400 are used, \$0\.0\d+ set aside for other calls/);
  });

  test('an answer gets as many output tokens as the money left can pay, and the run goes on below that', async () => {
    const source = new MeteredSource(() => WHOLE);
    harness = await startGateway(source, { limits: { costUsd: 0.05 } });
    expect((await askAsPi(harness, 'metered', OPENING)).stopReason).toBe('stop');
    expect((await askAsPi(harness, 'metered', OPENING)).stopReason).toBe('stop');
    const grants = harness.ledger.flatMap((entry) => (entry.entry === 'open' ? [entry.maxOutputTokens] : []));
    expect(grants[0]).toBe(2_000);
    expect(grants[1]).toBeGreaterThan(256);
    expect(grants[1]).toBeLessThan(2_000);
    const last = await askAsPi(harness, 'metered', OPENING);
    expect(last.errorMessage).toMatch(/out of budget: \$0\.0\d+ of \$0\.0500 are used, and one more call could cost/);
    expect(harness.gateway.state).toMatchObject({ requests: 2, costUsd: source.taken / 1e9 });
  });

  test('a conversation that grows is set aside at what the provider counted for its beginning', async () => {
    const source = new MeteredSource(() => ({ ...WHOLE, output: 0.01 }));
    harness = await startGateway(source, { limits: { costUsd: 10 } });
    const long = [systemMessage(), userMessage('x'.repeat(100_000))];
    const first = await askAsPi(harness, 'metered', long);
    await askAsPi(harness, 'metered', [...long, first, userMessage('y')]);
    const [a, b] = harness.ledger.flatMap((entry) => (entry.entry === 'open' ? [entry.reservedUsd ?? 0] : []));
    expect(a).toBeGreaterThan(100_000 * 3.75e-6);
    // A third of it was counted; the rest is the new part and the output.
    expect(b).toBeLessThan(a! * 0.5);
  });

  test('an answer that nobody counted costs what was set aside for it', async () => {
    const source = new MeteredSource(() => ({ ...WHOLE, output: 0.1, reports: false }));
    harness = await startGateway(source, { limits: { costUsd: 1 } });
    await askAsPi(harness, 'metered', OPENING);
    const [open, close] = harness.ledger;
    expect(close).toMatchObject({ usage: { estimated: true } });
    expect(open).toMatchObject({ reservedUsd: close?.entry === 'close' ? close.usage.costUsd : 0 });
  });

  test('an answer that is broken off costs no less than what was said of it, and no more than was set aside', async () => {
    const source = new MeteredSource(() => ({ ...WHOLE, input: 1, slowness: 10 }));
    harness = await startGateway(source, { limits: { costUsd: 1 } });
    const abort = new AbortController();
    const pending = askAsPi(harness, 'metered', OPENING, { signal: abort.signal });
    await expect
      .poll(() => harness?.deltas.filter(({ type }) => type === 'text').length, { interval: 2 })
      .toBeGreaterThan(2);
    abort.abort();
    expect((await pending).stopReason).toBe('aborted');
    await expect.poll(() => charged(harness!)).toHaveLength(1);
    const [open, close] = harness.ledger;
    expect(close).toMatchObject({ stopReason: 'aborted', usage: { estimated: true } });
    // What providers add to the input by themselves is in the estimate, and not taken here.
    expect(charged(harness)[0]).toBeGreaterThanOrEqual(source.taken - 1_024 * 3_000);
    expect(charged(harness)[0]).toBeLessThanOrEqual((open?.entry === 'open' ? (open.reservedUsd ?? 0) : 0) * 1e9);
  });

  test('whatever calls use, however they end and overlap: never above the cap, by either count (BR10)', {
    timeout: 60_000,
  }, async () => {
    const behaviour = fc.record({
      output: fc.double({ min: 0, max: 1, noNaN: true }),
      input: fc.double({ min: 0.01, max: 1, noNaN: true }),
      slowness: fc.nat(4),
      reports: fc.boolean(),
    });
    const call = fc.record({ behaviour, abortAfter: fc.option(fc.nat(12), { freq: 3 }), length: fc.nat(3_000) });
    const runs = fc.tuple(fc.array(call, { minLength: 1, maxLength: 50 }), fc.integer({ min: 10_000, max: 600_000 }));
    await fc.assert(
      fc.asyncProperty(runs, async ([calls, micros]) => {
        let next = 0;
        const source = new MeteredSource(() => calls[next++ % calls.length]!.behaviour);
        const limits = { costUsd: micros / 1e6, concurrentCalls: 50, requests: 100 };
        const tested = await startGateway(source, { limits });
        try {
          await Promise.all(
            calls.map(async ({ abortAfter, length }) => {
              const abort = new AbortController();
              const pending = askAsPi(tested, 'metered', [systemMessage(), userMessage('x'.repeat(length))], {
                signal: abort.signal,
              });
              if (abortAfter !== null) setTimeout(() => abort.abort(), abortAfter);
              await pending;
            }),
          );
        } finally {
          await tested.close();
        }
        expect(source.taken).toBeLessThanOrEqual(micros * 1_000);
        expect(sum(charged(tested))).toBeLessThanOrEqual(micros * 1_000);
        expect(sum(charged(tested))).toBeGreaterThanOrEqual(source.taken);
        expect(tested.gateway.state.costUsd).toBe(sum(charged(tested)) / 1e9);
      }),
      { numRuns: 150 },
    );
  });
});

test('over a thousand calls the sum of the ledger is what the provider counted, to the cent', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pi-sandbox-money-'));
  await using upstream = await fakeUpstream();
  const source = await resolveModel(ANTHROPIC.spec, {
    env: () => 'key-0123456789',
    cwd: '/',
    baseUrl: upstream.origin,
  });
  harness = await startGateway(source, { limits: { requests: 1_000, costUsd: 100 } });
  // Claude Haiku 4.5: 1, 5, 0.10 and 1.25 dollars for a million tokens; here in hundredths of a millionth.
  let owed = 0n;
  for (let call = 0; call < 1_000; call++) {
    const [input, output, read, write] = [
      1 + (call % 97),
      1 + (call % 13),
      (call * 7_919) % 100_003,
      (call * 31) % 1_009,
    ];
    owed += BigInt(input * 100 + output * 500 + read * 10 + write * 125);
    upstream.answers.push(sse(...counted(input, output, read, write)));
    expect((await askAsPi(harness, ANTHROPIC.id, OPENING)).stopReason).toBe('stop');
  }
  writeFileSync(
    path.join(folder, 'ledger.jsonl'),
    harness.ledger.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    { mode: 0o600 },
  );
  const totals = await readLedger(folder);
  rmSync(folder, { recursive: true });
  const usd = Number(owed) / 1e8;
  expect(totals).toMatchObject({ requests: 1_000, unsettled: 0, estimated: false });
  expect(formatUsd(totals!.costUsd)).toBe(formatUsd(usd));
  expect(Math.abs(totals!.costUsd - usd)).toBeLessThan(1e-6);
  expect(harness.gateway.state.costUsd).toBe(totals!.costUsd);
});

/** An answer of Anthropic with these tokens in its usage. */
function counted(
  input_tokens: number,
  output_tokens: number,
  cache_read_input_tokens: number,
  cache_creation_input_tokens: number,
) {
  const usage = { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens };
  return ANTHROPIC.say({ text: 'ok' }).map((record) =>
    JSON.parse(JSON.stringify(record), (key, value) => (key === 'usage' ? usage : value)),
  );
}
