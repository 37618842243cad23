import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { afterEach, describe, expect, test } from 'vitest';
import { resolveModel } from '../../src/gateway/model-source.ts';
import type { GatewayLimits } from '../../src/protocol/model.ts';
import {
  type FakeUpstream,
  failure,
  fakeUpstream,
  late,
  sse,
  sseCut,
  type UpstreamAnswer,
} from '../support/fake-upstream.ts';
import { STYLES, type UpstreamStyle } from '../support/fake-upstream-styles.ts';
import { askAsPi, type Harness, startGateway, systemMessage, toolResult, userMessage } from './harness.ts';

const KEY = 'sk-test-0123456789-canary-key-abcdef';
/** Base64, as Google's adapter insists on. */
const SIGNATURE = 'c2lnbmF0dXJlLW9mLXRoZS10aGlua2luZw==';
const CALLS = [
  { id: 'call_a', name: 'bash', arguments: { command: 'ls -la' } },
  { id: 'call_b', name: 'read', arguments: { path: 'README.md' } },
];
const OPENING = [systemMessage(), userMessage('What is this?')];

const open: { harness: Harness; upstream: FakeUpstream }[] = [];

afterEach(async () => {
  for (const { harness, upstream } of open.splice(0)) {
    await harness.close();
    await upstream[Symbol.asyncDispose]();
  }
});

async function start(style: UpstreamStyle, answers: UpstreamAnswer[], limits: Partial<GatewayLimits> = {}) {
  const upstream = await fakeUpstream(...answers);
  const source = await resolveModel(style.spec, {
    env: (name) => (name === style.keyName ? KEY : undefined),
    cwd: '/',
    baseUrl: upstream.origin + style.base,
  });
  const harness = await startGateway(source, { limits });
  open.push({ harness, upstream });
  const ask: (
    ...a: Parameters<typeof askAsPi> extends [Harness, string, ...infer R] ? R : never
  ) => ReturnType<typeof askAsPi> = (...rest) => askAsPi(harness, style.id, ...rest);
  return { upstream, harness, ask };
}

describe.each(STYLES)('$name', (style) => {
  const thinking = { thinking: 'Let me see.', signature: SIGNATURE };

  test('text, thinking and parallel tool calls come through, and the next request carries the signature back', async () => {
    const { upstream, harness, ask } = await start(style, [
      sse(...style.say({ ...thinking, text: 'Looking around.', tools: CALLS })),
      sse(...style.say({ text: 'A library.' })),
    ]);
    const first = await ask(OPENING, { reasoning: 'medium' });
    expect(first.errorMessage).toBeUndefined();
    expect(first.stopReason).toBe('toolUse');
    expect(first).toMatchObject({ provider: 'host', api: 'pi-messages', model: style.id });
    expect(first.content.find(({ type }) => type === 'text')).toMatchObject({ text: 'Looking around.' });
    expect(first.content.find(({ type }) => type === 'thinking')).toMatchObject({ thinking: 'Let me see.' });
    const calls = first.content.filter((block) => block.type === 'toolCall');
    expect(calls.map(({ name, arguments: input }) => ({ name, arguments: input }))).toEqual(
      CALLS.map(({ name, arguments: input }) => ({ name, arguments: input })),
    );

    const results = calls.map((call) => toolResult(call, `result of ${call.name}`));
    const second = await ask([...OPENING, first, ...results], { reasoning: 'medium' });
    expect(second).toMatchObject({ stopReason: 'stop', content: [{ type: 'text', text: 'A library.' }] });
    expect(upstream.requests).toHaveLength(2);
    const expected = style.name.includes('Completions') ? 'Let me see.' : SIGNATURE;
    expect(style.carries(upstream.requests[0]!, expected)).toBe(false);
    expect(style.carries(upstream.requests[1]!, expected)).toBe(true);
    expect(upstream.requests[1]!.body).toContain('result of bash');
    expect(harness.gateway.state).toMatchObject({ requests: 2, usage: { input: 200, output: 40 }, estimated: false });
    expect(harness.gateway.state.costUsd).toBeGreaterThan(0);
  });

  test('thinking that names another model is never sent as signed', async () => {
    const { upstream, ask } = await start(style, [
      sse(...style.say({ ...thinking, text: 'Looking.', tools: CALLS })),
      sse(...style.say({ text: 'A library.' })),
    ]);
    const first = await ask(OPENING, { reasoning: 'medium' });
    const calls = first.content.filter((block) => block.type === 'toolCall');
    const forged = { ...first, provider: style.spec.split('/')[0]! };
    await ask([...OPENING, forged, ...calls.map((call) => toolResult(call, 'ok'))], { reasoning: 'medium' });
    expect(upstream.requests[1]!.body).not.toContain(SIGNATURE);
    expect(upstream.requests[1]!.body).not.toContain('Let me see.');
    expect(upstream.requests[1]!.body).toContain('Looking.');
  });

  test('the key goes out exactly once, in its header, and nothing of the client but the conversation (D31)', async () => {
    const { upstream, harness, ask } = await start(style, [sse(...style.say({ text: 'Hello.' }))]);
    await ask(OPENING, {
      sessionId: 'CLIENT-SESSION',
      headers: { 'x-evil': 'CLIENT-HEADER', 'x-api-key': 'CLIENT-KEY' },
    });
    const [request] = upstream.requests;
    expect(request!.url).toMatch(style.path);
    const everything = JSON.stringify(request);
    expect(everything.split(KEY)).toHaveLength(2);
    const headers = Object.fromEntries(
      request!.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [[name.toLowerCase(), all[i + 1]]] : [])),
    );
    expect(headers[style.keyHeader[0]]).toBe(style.keyHeader[1](KEY));
    expect(everything).not.toMatch(/CLIENT-|placeholder|x-evil/);
    expect(JSON.stringify([harness.ledger, harness.records, harness.gateway.state])).not.toContain(KEY);
  });

  test('a 401 with the end of a key and an organisation in it comes through in our words, and pi gives up', async () => {
    const body = {
      error: { message: `Incorrect API key provided: sk-...${KEY.slice(-4)}, org-4711`, type: 'x', code: 401 },
    };
    const { harness, ask } = await start(style, [failure(401, body)]);
    const answer = await ask(OPENING);
    expect(answer.errorMessage).toBe('The provider did not accept the credentials (HTTP 401).');
    expect(isRetryableAssistantError(answer)).toBe(false);
    expect(JSON.stringify([answer, harness.ledger, harness.records, harness.gateway.state])).not.toMatch(
      /4711|Incorrect/,
    );
    expect(harness.gateway.state.failure).toMatchObject({ kind: 'model' });
  });

  test('a 429 stays one request of ours and is left to pi to retry', async () => {
    const body = { error: { message: 'Rate limit reached for org-4711', type: 'rate_limit_error', code: 429 } };
    const { upstream, ask } = await start(style, [failure(429, body, { 'retry-after': '7' })]);
    const answer = await ask(OPENING);
    expect(answer.errorMessage).toBe('Rate limit of the provider (HTTP 429, free again in 7 s).');
    expect(isRetryableAssistantError(answer)).toBe(true);
    expect(upstream.requests).toHaveLength(1);
  });

  test.each([500, 503, 529])('a %i is left to pi to retry', async (status) => {
    const { ask } = await start(style, [failure(status, { error: { message: 'org-4711 broke', code: status } })]);
    const answer = await ask(OPENING);
    expect(answer.errorMessage).not.toContain('4711');
    expect(isRetryableAssistantError(answer)).toBe(true);
  });

  test('an answer that is cut off is a network error with the text so far, charged by estimate', async () => {
    const { harness, ask } = await start(style, [sseCut(...style.begin('Half an answer, and then '))]);
    const answer = await ask(OPENING);
    expect(answer.stopReason).toBe('error');
    expect(answer.errorMessage).toContain('Network error');
    expect(isRetryableAssistantError(answer)).toBe(true);
    expect(answer.content).toMatchObject([{ type: 'text', text: 'Half an answer, and then ' }]);
    const close = harness.ledger.at(-1);
    expect(close).toMatchObject({ entry: 'close', stopReason: 'error' });
    expect(harness.gateway.state.usage.output).toBeGreaterThan(0);
  });

  test('an answer that ends without its end is an error too', async () => {
    const { ask } = await start(style, [sse(...style.begin('Half an answer'))]);
    const answer = await ask(OPENING);
    expect(answer.stopReason).toBe('error');
    expect(isRetryableAssistantError(answer)).toBe(true);
  });

  test('a first byte that comes late is waited for', async () => {
    const { ask } = await start(style, [late(400, sse(...style.say({ text: 'Late.' })))]);
    expect(await ask(OPENING)).toMatchObject({ stopReason: 'stop' });
  });

  test('silence beyond the idle limit aborts the call and names the limit (D26)', async () => {
    const { harness, ask } = await start(style, [() => undefined], { idleMs: 100 });
    const answer = await ask(OPENING);
    expect(answer.errorMessage).toContain('gateway.idleMs');
    expect(harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.idleMs' }]);
  });

  test('a redirect is not followed', async () => {
    const elsewhere = await fakeUpstream();
    const { ask } = await start(style, [
      (res) => void res.writeHead(307, { location: `${elsewhere.origin}/v1/messages` }).end(),
    ]);
    const answer = await ask(OPENING);
    expect(answer.errorMessage).toBe('The provider answered with a redirect, which is never followed (HTTP 307).');
    expect(isRetryableAssistantError(answer)).toBe(false);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere[Symbol.asyncDispose]();
  });

  test('a key that a provider echoes, plain or encoded, does not reach the container', async () => {
    const half = KEY.length / 2;
    const { harness, ask } = await start(style, [
      sse(
        ...style.say({
          text: `Your key is ${KEY}, in base64 ${Buffer.from(`Bearer ${KEY}`).toString('base64')}`,
          tools: [{ id: 'call_a', name: 'bash', arguments: { command: `echo ${KEY}` } }],
        }),
      ),
    ]);
    const answer = await ask(OPENING);
    const everything = JSON.stringify([answer, harness.ledger, harness.records, harness.deltas, harness.gateway.state]);
    expect(everything).not.toContain(KEY);
    expect(everything).not.toContain(KEY.slice(0, half));
    expect(everything).toContain('[secret removed]');
    expect(everything).not.toContain(Buffer.from(KEY).toString('base64').slice(4, -4));
  });
});

test('a server that is not there is a network error, which pi retries', async () => {
  const [style] = STYLES;
  const upstream = await fakeUpstream();
  await upstream[Symbol.asyncDispose]();
  const source = await resolveModel(style!.spec, { env: () => KEY, cwd: '/', baseUrl: upstream.origin });
  const harness = await startGateway(source);
  const answer = await askAsPi(harness, style!.id, OPENING);
  expect(answer.errorMessage).toBe('Network error between host and provider (ECONNREFUSED).');
  expect(isRetryableAssistantError(answer)).toBe(true);
  await harness.close();
});
