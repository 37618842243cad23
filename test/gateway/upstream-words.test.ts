import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { describe, expect, test } from 'vitest';
import { resolveModel } from '../../src/gateway/model-source.ts';
import { failure, fakeUpstream, sse, sseText, type UpstreamAnswer } from '../support/fake-upstream.ts';
import { STYLES, type UpstreamStyle } from '../support/fake-upstream-styles.ts';
import { askAsPi, startGateway, systemMessage, userMessage } from './harness.ts';

/** Parts of it must not come through. */
const error = (type: string, message: string) => ({
  error: { type, code: type, status: type, message: `${message} org-4711` },
});

const body =
  (type: string, text: string): UpstreamAnswer =>
  (res) =>
    void res.writeHead(200, { 'content-type': type }).end(text);

const NOT_ITS_PROTOCOL = /hat the provider sent is not a whole answer in its protocol\.$/;
const OVERLOADED = 'The provider is overloaded.';

const CASES: [name: string, answer: UpstreamAnswer, words: RegExp, retried: boolean | 'either'][] = [
  [
    '403',
    failure(403, error('permission_error', 'no')),
    /^The provider denied access to this model \(HTTP 403\)/,
    false,
  ],
  [
    '404',
    failure(404, error('not_found', 'no')),
    /^The provider does not know this model or address \(HTTP 404\)/,
    false,
  ],
  ['402', failure(402, error('payment', 'pay')), /quota or billing limit of the account \(HTTP 402\)/, false],
  [
    'a quota, which looks like a rate limit',
    failure(429, error('insufficient_quota', 'Check your plan and billing details.')),
    /quota or billing limit of the account \(HTTP 429\)/,
    false,
  ],
  ['a rate limit', failure(429, error('rate_limit_error', 'slow')), /^Rate limit of the provider \(HTTP 429\)/, true],
  ['529', failure(529, error('overloaded_error', 'Overloaded')), /^The provider is overloaded \(HTTP 529\)/, true],
  [
    'a malformed request',
    failure(400, error('invalid', 'max_tokens')),
    /refused the request as malformed \(HTTP 400\)/,
    false,
  ],
  ['a time-out', failure(504, error('timeout', 'late')), /^Timeout at the provider \(HTTP 504\)/, true],
  [
    'a page of a gateway',
    (res) => void res.writeHead(502).end('<html>org-4711</html>'),
    /^Server error .*HTTP 502/,
    true,
  ],
  ['nothing at all', body('text/event-stream', ''), /^Network error: the provider ended .* without an answer\.$/, true],
  ['a login page', body('text/html', '<html>org-4711</html>'), NOT_ITS_PROTOCOL, 'either'],
  ['events that are no JSON', body('text/event-stream', 'data: {"a": org-4711\n\n'), NOT_ITS_PROTOCOL, 'either'],
  ['bytes', body('text/event-stream', '\u0000\u0001\ufffd'), NOT_ITS_PROTOCOL, 'either'],
  ['other JSON', body('application/json', '{"org":4711}'), NOT_ITS_PROTOCOL, 'either'],
];

async function answerTo(style: UpstreamStyle, answer: UpstreamAnswer) {
  await using upstream = await fakeUpstream(answer);
  const source = await resolveModel(style.spec, {
    env: () => 'sk-key-0123456789',
    cwd: '/',
    baseUrl: upstream.origin + style.base,
  });
  const harness = await startGateway(source, { limits: { costUsd: 100 } });
  const message = await askAsPi(harness, style.id, [systemMessage(), userMessage('hi')]);
  await harness.close();
  expect(upstream.requests).toHaveLength(1);
  expect(JSON.stringify([message, harness.ledger, harness.records])).not.toContain('4711');
  return { message, close: harness.ledger.at(-1) };
}

describe.each(STYLES)('$name', (style) => {
  test.each(CASES)('%s is told apart, costs nothing and is left to pi', async (_name, answer, words, retried) => {
    const { message, close } = await answerTo(style, answer);
    expect(message.errorMessage).toMatch(words);
    if (retried !== 'either') expect(isRetryableAssistantError(message)).toBe(retried);
    expect(close).toMatchObject({ entry: 'close', usage: { input: 0, output: 0, costUsd: 0 } });
  });

  test('an overload in the middle of an answer is one, and what was said is charged', async () => {
    const { message, close } = await answerTo(style, sse(...style.begin('Half an answer'), overload(style)));
    expect(message).toMatchObject({ stopReason: 'error', errorMessage: OVERLOADED });
    expect(isRetryableAssistantError(message)).toBe(true);
    expect(close?.entry === 'close' ? close.usage.output : 0).toBeGreaterThan(0);
    expect(close?.entry === 'close' ? close.usage.costUsd : 0).toBeGreaterThan(0);
  });

  test('an abort reaches the provider, in the middle of an answer and before its first byte (M20)', async () => {
    for (const begin of [style.begin('Half an answer'), []]) {
      let gone = false;
      let asked = (): void => undefined;
      const underWay = new Promise<void>((resolve) => (asked = resolve));
      await using upstream = await fakeUpstream((res) => {
        res.on('close', () => (gone = true));
        if (begin.length > 0) {
          res.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const record of begin) res.write(sseText(record));
        }
        asked();
      });
      const source = await resolveModel(style.spec, {
        env: () => 'key',
        cwd: '/',
        baseUrl: upstream.origin + style.base,
      });
      const harness = await startGateway(source);
      const abort = new AbortController();
      const pending = askAsPi(harness, style.id, [systemMessage(), userMessage('hi')], { signal: abort.signal });
      await underWay;
      if (begin.length > 0) await expect.poll(() => harness.deltas.some(({ type }) => type === 'text')).toBe(true);
      expect(gone).toBe(false);
      abort.abort();
      expect((await pending).stopReason).toBe('aborted');
      await expect.poll(() => gone).toBe(true);
      await expect.poll(() => harness.ledger.at(-1)).toMatchObject({ entry: 'close', stopReason: 'aborted' });
      await harness.close();
    }
  });
});

function overload({ name }: UpstreamStyle): Parameters<typeof sse>[0] {
  if (name.startsWith('Anthropic')) {
    return ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }];
  }
  if (name.includes('Responses')) return { type: 'error', code: 'server_is_overloaded', message: 'We are overloaded.' };
  return { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
}
