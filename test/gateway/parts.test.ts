import type { AssistantMessage } from '@earendil-works/pi-ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerRecord } from '../../src/gateway/answer-record.ts';
import { RefusedRequest } from '../../src/gateway/refusal.ts';
import { parseRequest } from '../../src/gateway/request-parse.ts';
import { describeUpstreamError } from '../../src/gateway/upstream-error.ts';
import { exceededBy } from '../../src/lib/json-shape.ts';

describe('shape of JSON', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const nestsDeeperThan = (json: Uint8Array, depth: number) => exceededBy(json, { depth, values: 1e9 }) === 'depth';

  test('is counted outside of strings only', () => {
    expect(nestsDeeperThan(bytes(`${'['.repeat(64)}${']'.repeat(64)}`), 64)).toBe(false);
    expect(nestsDeeperThan(bytes(`${'['.repeat(65)}`), 64)).toBe(true);
    expect(nestsDeeperThan(bytes(JSON.stringify(['[{"\\'.repeat(500)])), 64)).toBe(false);
    expect(nestsDeeperThan(bytes('[[],[],{}]'), 2)).toBe(false);
  });

  test('counts what parsing would make objects of, outside of strings only', () => {
    const limits = { depth: 9, values: 10 };
    expect(exceededBy(bytes(`[${'1,'.repeat(9)}1]`), limits)).toBeUndefined();
    expect(exceededBy(bytes(`[${'1,'.repeat(10)}1]`), limits)).toBe('values');
    expect(exceededBy(bytes(`[${'[],'.repeat(5)}[]]`), limits)).toBe('values');
    expect(exceededBy(bytes(JSON.stringify([','.repeat(50)])), limits)).toBeUndefined();
  });

  test('agrees with a walk over the parsed value', () => {
    const depth = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depth));
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 6 }), (value, limit) => {
        expect(nestsDeeperThan(bytes(JSON.stringify(value)), limit)).toBe(depth(value) > limit);
      }),
    );
  });
});

test('whatever bytes come as a request, they are parsed or refused, never anything else', () => {
  const model = fc.constant({ model: 'm', context: { messages: [] } });
  const bodies = fc.oneof(
    fc.uint8Array(),
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    fc.tuple(model, fc.jsonValue()).map(([base, extra]) => Buffer.from(JSON.stringify({ ...base, options: extra }))),
    fc
      .tuple(model, fc.array(fc.jsonValue()))
      .map(([base, messages]) => Buffer.from(JSON.stringify({ ...base, context: { messages } }))),
  );
  fc.assert(
    fc.property(bodies, (body) => {
      try {
        parseRequest(body);
      } catch (error) {
        expect(error).toBeInstanceOf(RefusedRequest);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('errors of providers in our words', () => {
  const failed = (errorMessage: string): AssistantMessage => ({
    role: 'assistant',
    content: [],
    api: 'x',
    provider: 'x',
    model: 'x',
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'error',
    errorMessage,
    timestamp: 0,
  });

  test.each([
    ['429: {"code":"insufficient_quota","message":"org-1"}', 429, 'quota'],
    ['400 {"error":{"message":"prompt is too long: 213462 tokens > 200000 maximum"}}', 400, 'context_too_long'],
    ['413 request_too_large', 413, 'context_too_long'],
    ['400 bad field', 400, 'bad_request'],
    ['403 no', 403, 'permission'],
    ['404 no such model', 404, 'not_found'],
    ['504', 504, 'timeout'],
    ['fetch failed: no such status', 600, 'server'],
    ['fetch failed: no such status', 99, 'server'],
    ['overloaded_error', 200, 'overloaded'],
    ['rate limit reached', undefined, 'rate_limit'],
    ['something odd with key sk-1234', 200, 'other'],
  ])('%s (%s) is %s', (text, status, category) => {
    const described = describeUpstreamError(failed(text), { status });
    expect(described.category).toBe(category);
    expect(described.text).not.toMatch(/org-1|sk-1234|213462|field/);
  });
});

test('a record of an answer is bounded and never ends inside a character', () => {
  const said = new AnswerRecord();
  said.add({ type: 'text_end', contentIndex: 0, content: '€'.repeat(40_000) });
  expect(Buffer.byteLength(said.text)).toBeLessThanOrEqual(65_536);
  expect(said.text).toMatch(/^€+$/);
  expect(said.textOmitted).toBe(120_000 - Buffer.byteLength(said.text));
  for (let i = 0; i < 200; i++) {
    const toolCall = {
      type: 'toolCall' as const,
      id: `c${i}`,
      name: 'bash',
      arguments: { command: 'x'.repeat(20_000) },
    };
    said.add({ type: 'toolcall_end', contentIndex: i, toolCall });
  }
  expect(said.toolCalls).toHaveLength(128);
  expect(said.toolCallCount).toBe(200);
  expect(said.toolCalls[0]).toMatchObject({ argumentsTruncated: true });
  expect(JSON.stringify(said.toolCalls[0]).length).toBeLessThan(20_000);
});
