import type { ServerResponse } from 'node:http';
import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { expect, test } from 'vitest';
import { resolveModel } from '../../src/gateway/model-source.ts';
import { fakeUpstream } from '../support/fake-upstream.ts';
import { ANTHROPIC, COMPLETIONS, type UpstreamStyle } from '../support/fake-upstream-styles.ts';
import { askAsPi, startGateway, systemMessage, userMessage } from './harness.ts';

const MB = 1_000_000;
const OPENING = [systemMessage(), userMessage('hi')];
const CUT = 'The answer of the provider was cut, because it is much larger than what was asked for.';

/** Writes a head, and then one piece again and again until nobody reads any more, or there was far too much. */
function endless(head: string, piece: string, sent: { bytes: number }) {
  return async (res: ServerResponse): Promise<void> => {
    let wake = (): void => undefined;
    res.on('drain', () => wake()).on('close', () => wake());
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(head);
    const many = piece.repeat(Math.ceil(65_536 / piece.length));
    while (!res.destroyed && sent.bytes < 300 * MB) {
      sent.bytes += many.length;
      if (!res.write(many)) await new Promise<void>((resolve) => (wake = resolve));
    }
    res.end();
  };
}

const data = (record: object) => `data: ${JSON.stringify(record)}\n\n`;
const delta = (change: object) => data({ id: 'c', choices: [{ index: 0, delta: change }] });
const call = (input: string, more: object = {}) =>
  delta({ tool_calls: [{ index: 0, ...more, function: { name: 'bash', arguments: input } }] });
const block = (index: number) =>
  `event: content_block_start\n${data({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } })}`;
const message = `event: message_start\n${data({ type: 'message_start', message: { id: 'm', usage: {} } })}`;

/** What lies in the buffers of a loopback connection. */
const IN_FLIGHT = 16 * MB;

test.each<[name: string, style: UpstreamStyle, head: string, piece: string, most: number]>([
  ['a line without end', COMPLETIONS, 'data: {"x":"', 'x'.repeat(65_536), 17 * MB],
  ['events that say nothing', COMPLETIONS, '', data({ id: 'c', choices: [], pad: 'x'.repeat(500) }), 34 * MB],
  ['text', COMPLETIONS, '', delta({ content: 'word '.repeat(10) }), MB],
  ['thinking', COMPLETIONS, '', delta({ reasoning_content: 'word '.repeat(10) }), MB],
  ['arguments of a tool', COMPLETIONS, call('{"command":"', { id: 'a' }), call('x'.repeat(64)), MB],
  ['blocks of nothing', ANTHROPIC, message, block(0), 4 * MB],
])('an endless answer is cut, and costs little: %s', async (_name, style, head, piece, most) => {
  const sent = { bytes: 0 };
  await using upstream = await fakeUpstream(endless(head, piece, sent));
  const source = await resolveModel(style.spec, { env: () => 'key-0123456789', cwd: '/', baseUrl: upstream.origin });
  const harness = await startGateway(source);
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const answer = await askAsPi(harness, style.id, OPENING);
  clearInterval(sampling);
  expect(answer).toMatchObject({ stopReason: 'error', errorMessage: CUT });
  expect(isRetryableAssistantError(answer)).toBe(false);
  expect(sent.bytes).toBeLessThan(most + IN_FLIGHT);
  expect((peak - before) / MB).toBeLessThan(250);
  expect(JSON.stringify(answer.content).length).toBeLessThan(600_000);
  expect(harness.ledger.at(-1)).toMatchObject({ entry: 'close', stopReason: 'error' });
  expect(harness.records.at(-1)).toMatchObject({ type: 'gateway.response', category: 'answer_size' });
  expect(harness.gateway.state).toMatchObject({ inFlight: 0, failure: { kind: 'model', message: CUT } });
  await harness.close();
});

test('an answer of all its granted tokens, in the smallest of events, is not cut', async () => {
  const tokens = 4_000;
  await using upstream = await fakeUpstream((res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let i = 0; i < tokens; i++) res.write(delta({ content: 'tokens, ' }));
    res.end(`${data({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`);
  });
  const { spec, id } = COMPLETIONS;
  const source = await resolveModel(spec, { env: () => 'key-0123456789', cwd: '/', baseUrl: upstream.origin });
  const harness = await startGateway(source, { limits: { outputTokensPerCall: tokens } });
  const answer = await askAsPi(harness, id, OPENING);
  expect(answer).toMatchObject({ stopReason: 'stop', content: [{ text: 'tokens, '.repeat(tokens) }] });
  await harness.close();
});
