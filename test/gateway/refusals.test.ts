import { describe, expect, test } from 'vitest';
import { fixedGateway } from './fixed-gateway.ts';
import { post, rawExchange, requestBody, systemMessage } from './harness.ts';

const fixed = fixedGateway();

test('the positive control: a plain POST /messages is answered', async () => {
  const answer = await rawExchange(fixed.harness, post(requestBody('fixed')));
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(answer.match(/"type":"done"/g)).toHaveLength(1);
  expect(fixed.source.calls).toHaveLength(1);
});

describe('anything but POST /messages is refused and never reaches the provider', () => {
  const body = requestBody('fixed');
  const line = (start: string, headers = 'Host: x\r\n') => `${start} HTTP/1.1\r\n${headers}\r\n`;
  const cases: [name: string, bytes: string, status: number, code: string][] = [
    ['another path', line('POST /v1/messages'), 404, 'path'],
    ['a trailing slash', line('POST /messages/'), 404, 'path'],
    ['a query', line('POST /messages?debug=1'), 404, 'path'],
    ['dot segments', line('POST /x/../messages'), 404, 'path'],
    ['an encoded path', line('POST /%6dessages'), 404, 'path'],
    ['a path parameter', line('POST /messages;x'), 404, 'path'],
    ['another method', line('GET /messages'), 405, 'method'],
    ['a delete', line('DELETE /messages'), 405, 'method'],
    ['absolute form', line('POST http://evil.test/messages'), 400, 'absolute_form'],
    ['a network path', line('POST //evil.test/messages'), 400, 'absolute_form'],
    ['an asterisk', line('OPTIONS *'), 400, 'absolute_form'],
    ['CONNECT', line('CONNECT evil.test:443'), 405, 'connect'],
    [
      'an upgrade to WebSocket (D27)',
      line('GET /messages', 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'),
      426,
      'upgrade',
    ],
    [
      'an upgrade to HTTP/2',
      line('POST /messages', 'Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n'),
      426,
      'upgrade',
    ],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'protocol'],
    ['bytes that are no HTTP', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 400, 'protocol'],
    ['two lengths', line('POST /messages', 'Host: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n'), 400, 'protocol'],
    [
      'length and chunks',
      line('POST /messages', 'Host: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n'),
      400,
      'protocol',
    ],
    [
      'an unknown transfer coding',
      post(body, { 'Transfer-Encoding': 'xchunked', 'Content-Length': '0' }).replace('Content-Length: 0\r\n', ''),
      400,
      'transfer_encoding',
    ],
    ['100 KB of headers', line('POST /messages', `Host: x\r\nX: ${'a'.repeat(100_000)}\r\n`), 431, 'header_size'],
    ['a form', post(body, { 'Content-Type': 'text/plain' }), 415, 'content_type'],
    ['a compressed body', post(body, { 'Content-Encoding': 'gzip' }), 415, 'content_encoding'],
    ['half a JSON', post(body.slice(0, -5)), 400, 'json'],
    ['65 levels', post(`{"model":"fixed","context":${'['.repeat(64)}${']'.repeat(64)}}`), 400, 'depth'],
    ['more values than are worth parsing', post(`[${'[],'.repeat(250_000)}[]]`), 400, 'values'],
    ['a list instead of an object', post('[]'), 400, 'schema'],
    [
      'an image by URL',
      post(
        requestBody('fixed', [
          systemMessage(),
          { role: 'user', content: [{ type: 'image', url: 'http://evil.test/x' } as never], timestamp: 1 },
        ]),
      ),
      400,
      'schema',
    ],
    [
      'an SVG image',
      post(
        requestBody('fixed', [
          systemMessage(),
          { role: 'user', content: [{ type: 'image', data: 'AAAA', mimeType: 'image/svg+xml' }], timestamp: 1 },
        ]),
      ),
      400,
      'schema',
    ],
    ['another model', post(requestBody('other')), 403, 'model'],
    ['the model in the query of its name', post(requestBody('fixed\u0000')), 403, 'model'],
  ];
  test.each(cases)('%s', async (_name, bytes, status, code) => {
    const started = performance.now();
    const answer = await rawExchange(fixed.harness, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`"code":"${code}"`);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(fixed.source.calls).toEqual([]);
    expect(fixed.harness.ledger).toMatchObject([{ entry: 'refused', code, status }]);
    expect(fixed.harness.records).toMatchObject([{ source: 'observed', type: 'gateway.refused', code }]);
    expect(fixed.harness.gateway.state.requests).toBe(0);
  });

  test('invalid UTF-8 is not repaired', async () => {
    const bytes = Buffer.from(requestBody('fixed').replace('hi', 'h\u0001'));
    bytes[bytes.indexOf('h\\u0001')] = 0xff;
    const head = post('', { 'Content-Length': String(bytes.length) });
    expect(await rawExchange(fixed.harness, Buffer.concat([Buffer.from(head), bytes]))).toContain('"code":"json"');
  });
});
