import { expect, test } from 'vitest';
import { fixedGateway } from './fixed-gateway.ts';
import { post, rawExchange, requestBody } from './harness.ts';

const MB = 1_000_000;
const fixed = fixedGateway();

test('a body in chunks of one byte costs its size, not that of its pieces', async () => {
  await fixed.restart({ limits: { requestBytes: 4 * MB } });
  const body = requestBody('fixed');
  const spaces = MB;
  const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
  const head = post('', { 'Transfer-Encoding': 'chunked' }).replace('Content-Length: 0\r\n', '');
  const bytes = Buffer.from(`${head}${chunks}${'1\r\n \r\n'.repeat(spaces)}0\r\n\r\n`);
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  const answer = await rawExchange(fixed.harness, bytes);
  clearInterval(sampling);
  expect(answer).toContain('"type":"done"');
  expect(fixed.harness.ledger[0]).toMatchObject({ entry: 'open', requestBytes: body.length + spaces });
  expect((peak - before) / MB).toBeLessThan(150);
});
