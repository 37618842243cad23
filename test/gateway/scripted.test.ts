import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ModelSource, resolveModel } from '../../src/gateway/model-source.ts';
import { askAsPi, type Harness, startGateway, systemMessage, toolResult, userMessage } from './harness.ts';

let folder: string;
let harness: Harness | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-'));
});
afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await rm(folder, { recursive: true });
});

async function scripted(yaml: string, name = ''): Promise<ModelSource> {
  await writeFile(join(folder, 'demo.yaml'), yaml);
  return resolveModel(`scripted:demo.yaml${name}`, { env: () => undefined, cwd: folder });
}

const TWO_TURNS = `
model: { id: demo, cost: { input: 3, output: 15 } }
turns:
  - thinking: Where am I?
    thinkingSignature: sig-1
    text: Looking around.
    tools:
      - { name: bash, arguments: { command: "ls -la", note: "ünï 🦀 code" } }
      - { name: read, arguments: { path: README.md }, id: my-id }
    usage: { input: 1000000, output: 1000 }
  - expect: [README.md, second]
    expectNot: secret
    text: It is a library.
`;

describe('a scripted model through pi own client', () => {
  test('plays its turns with thinking, text, parallel tool calls and usage', async () => {
    const source = await scripted(TWO_TURNS);
    harness = await startGateway(source);
    const first = await askAsPi(harness, 'demo', [systemMessage(), userMessage('hi')]);
    expect(first.stopReason).toBe('toolUse');
    expect(first.content).toEqual([
      { type: 'thinking', thinking: 'Where am I?', thinkingSignature: 'sig-1' },
      { type: 'text', text: 'Looking around.' },
      { type: 'toolCall', id: 'call_1_1', name: 'bash', arguments: { command: 'ls -la', note: 'ünï 🦀 code' } },
      { type: 'toolCall', id: 'my-id', name: 'read', arguments: { path: 'README.md' } },
    ]);
    expect(first.usage).toMatchObject({ input: 1_000_000, output: 1_000, cost: { total: 0 } });

    const second = await askAsPi(harness, 'demo', [
      systemMessage(),
      userMessage('hi'),
      first,
      toolResult({ id: 'call_1_1', name: 'bash' }, 'README.md'),
      toolResult({ id: 'my-id', name: 'read' }, 'second'),
    ]);
    expect(second).toMatchObject({ stopReason: 'stop', content: [{ type: 'text', text: 'It is a library.' }] });
    const { state } = harness.gateway;
    expect(state).toMatchObject({
      requests: 2,
      inFlight: 0,
      lastStopReason: 'stop',
      lastAnswerText: 'It is a library.',
    });
    expect(state.costUsd).toBeGreaterThanOrEqual(3.015);
    expect(state.failure).toBeUndefined();
    expect(harness.deltas.filter(({ call }) => call === 1).map(({ type }) => type)).toContain('toolcall');
  });

  test('sends the same pieces every time', async () => {
    const pieces: string[] = [];
    for (const _ of [1, 2]) {
      harness = await startGateway(await scripted(TWO_TURNS));
      await askAsPi(harness, 'demo', [systemMessage(), userMessage('hi')]);
      pieces.push(JSON.stringify(harness.deltas));
      await harness.close();
    }
    expect(pieces[0]).toBe(pieces[1]);
  });

  test('writes open before the call, close before the last event, and records what was said', async () => {
    harness = await startGateway(await scripted(TWO_TURNS));
    await askAsPi(harness, 'demo', [systemMessage(), userMessage('hi')]);
    expect(harness.ledger).toMatchObject([
      { entry: 'open', call: 1, provider: 'scripted', model: 'demo', messages: 2 },
      { entry: 'close', call: 1, stopReason: 'toolUse', usage: { input: 1_000_000, output: 1_000, costUsd: 3.015 } },
    ]);
    expect(harness.records.map(({ type }) => type)).toEqual(['gateway.request', 'gateway.response']);
    expect(harness.records[1]).toMatchObject({
      source: 'observed',
      text: 'Looking around.',
      thinkingBytes: 11,
      toolCalls: [{ name: 'bash', arguments: { command: 'ls -la' } }, { id: 'my-id' }],
    });
  });

  test('off script by a missing word: the run fails and the place is named, and pi does not retry', async () => {
    harness = await startGateway(await scripted(TWO_TURNS));
    const first = await askAsPi(harness, 'demo', [systemMessage(), userMessage('hi')]);
    const second = await askAsPi(harness, 'demo', [
      systemMessage(),
      userMessage('hi'),
      first,
      toolResult({ id: 'call_1_1', name: 'bash' }, 'timeout: nothing but LICENSE here'),
    ]);
    expect(second.stopReason).toBe('error');
    expect(isRetryableAssistantError(second)).toBe(false);
    expect(harness.failures).toHaveLength(1);
    expect(harness.failures[0]).toMatchObject({ kind: 'scenario' });
    expect(harness.failures[0]?.message).toMatch(
      /demo\.yaml, turns, turn 2: expected "README\.md".*nothing but LICENSE here/,
    );
    const third = await askAsPi(harness, 'demo', [systemMessage(), userMessage('hi')]);
    expect(third.errorMessage).toContain('failed');
    expect(isRetryableAssistantError(third)).toBe(false);
  });

  test('off script by one call too many says how many turns there are', async () => {
    harness = await startGateway(await scripted('turns: [{ text: only one }]'));
    await askAsPi(harness, 'scripted', [systemMessage(), userMessage('hi')]);
    await askAsPi(harness, 'scripted', [systemMessage(), userMessage('again')]);
    expect(harness.failures[0]?.message).toContain('called once more than the script has turns (1)');
  });

  test('provider errors come through in our words, retryable as they were, and the next turn answers the retry', async () => {
    harness = await startGateway(
      await scripted(`
turns:
  - error: { status: 429, message: "slow down, key sk-abc, org-1234" }
  - text: half an answ
    cut: true
  - error: { status: 401, message: "Incorrect API key provided: sk-...1234" }
  - text: all well
`),
    );
    const ask = () => askAsPi(harness!, 'scripted', [systemMessage(), userMessage('hi')]);
    const limited = await ask();
    expect(limited.errorMessage).toBe('Rate limit of the provider (HTTP 429).');
    expect(isRetryableAssistantError(limited)).toBe(true);
    const cut = await ask();
    expect(cut.errorMessage).toContain('Network error');
    expect(cut.content).toEqual([{ type: 'text', text: 'half an answ' }]);
    expect(isRetryableAssistantError(cut)).toBe(true);
    const denied = await ask();
    expect(denied.errorMessage).toBe('The provider did not accept the credentials (HTTP 401).');
    expect(isRetryableAssistantError(denied)).toBe(false);
    expect(harness.gateway.state.failure).toMatchObject({ kind: 'model' });
    expect(await ask()).toMatchObject({ stopReason: 'stop' });
    expect(harness.gateway.state.failure).toBeUndefined();
    expect(harness.failures).toEqual([]);
  });

  test('one file holds several models, chosen with #', async () => {
    const yaml = 'turns: [{ text: main }]\nmodels: { other: { turns: [{ text: side }] } }';
    harness = await startGateway(await scripted(yaml, '#other'));
    const answer = await askAsPi(harness, 'other', [systemMessage(), userMessage('hi')]);
    expect(answer.content).toEqual([{ type: 'text', text: 'side' }]);
  });

  test('a delay longer than the idle limit ends the run with that limit named, and pi does not retry (D26)', async () => {
    harness = await startGateway(await scripted('turns: [{ text: late, delay: 60s }]'), { limits: { idleMs: 50 } });
    const answer = await askAsPi(harness, 'scripted', [systemMessage(), userMessage('hi')]);
    expect(answer).toMatchObject({ stopReason: 'error' });
    expect(answer.errorMessage).toContain('gateway.idleMs');
    expect(isRetryableAssistantError(answer)).toBe(false);
    expect(harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.idleMs' }]);
    expect(harness.records.at(-1)).toMatchObject({ type: 'gateway.limit', limit: 'gateway.idleMs' });
  });

  test('an abort of the client aborts the call and still settles it in the ledger', async () => {
    harness = await startGateway(await scripted('turns: [{ text: "a long story", tokensPerSecond: 0.1 }]'));
    const abort = new AbortController();
    const pending = askAsPi(harness, 'scripted', [systemMessage(), userMessage('hi')], { signal: abort.signal });
    await expect.poll(() => harness!.gateway.state.inFlight).toBe(1);
    abort.abort();
    expect((await pending).stopReason).toBe('aborted');
    await expect.poll(() => harness!.ledger.at(-1)).toMatchObject({ entry: 'close', stopReason: 'aborted' });
    expect(harness.gateway.state.inFlight).toBe(0);
  });

  test('revoking aborts calls under way and answers 410 from then on', async () => {
    harness = await startGateway(
      await scripted('turns: [{ text: "a long story", tokensPerSecond: 0.1 }, { text: x }]'),
    );
    const pending = askAsPi(harness, 'scripted', [systemMessage(), userMessage('hi')]);
    await expect.poll(() => harness!.gateway.state.inFlight).toBe(1);
    harness.gateway.revoke('the run is over');
    expect((await pending).stopReason).toBe('aborted');
    const after = await askAsPi(harness, 'scripted', [systemMessage(), userMessage('hi')]);
    expect(after.errorMessage).toMatch(/^410 /);
    expect(isRetryableAssistantError(after)).toBe(false);
    expect(harness.ledger.at(-1)).toMatchObject({ entry: 'refused', code: 'revoked', status: 410 });
  });
});
