// Runs inside: sends to the gateway what pi never would, and prints one JSON line for each attempt.
import net from 'node:net';

const PORT = 18080;
const DEADLINE_MS = 20_000;

/** Sends bytes as they are. Resolves with status, reason code and times when the connection has ended. */
function send(bytes, { end = false } = {}) {
  const started = Date.now();
  return new Promise((resolve) => {
    let text = '';
    const socket = net.connect({ port: PORT, host: '127.0.0.1', allowHalfOpen: true });
    const finish = (how) => {
      clearTimeout(timer);
      socket.destroy();
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      const code = /"code":"([a-z_]+)"/.exec(text)?.[1];
      resolve({
        status,
        code,
        how,
        ms: Date.now() - started,
        at: Date.now(),
        answers: text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0,
      });
    };
    const timer = setTimeout(() => finish('timeout'), DEADLINE_MS);
    socket.on('connect', () => {
      socket.write(bytes);
      if (end) socket.end();
    });
    socket.setEncoding('latin1').on('data', (piece) => {
      text += piece;
    });
    socket.on('end', () => finish('end'));
    socket.on('error', () => finish('reset'));
  });
}

const request = (line, headers = [], body = '') => `${[line, 'Host: h', ...headers].join('\r\n')}\r\n\r\n${body}`;
const post = (body, headers = []) =>
  request(
    'POST /messages HTTP/1.1',
    ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, ...headers],
    body,
  );
const call = (model, content, extra = {}) =>
  JSON.stringify({ model, context: { messages: [{ role: 'user', content, timestamp: 1 }] }, ...extra });

const model = process.env.PROBE_MODEL;
const good = call(model, 'hello');
const CASES = {
  get: request('GET /messages HTTP/1.1'),
  delete: request('DELETE /messages HTTP/1.1'),
  files: request('GET /v1/files HTTP/1.1'),
  batches: request('POST /v1/messages/batches HTTP/1.1', ['Content-Length: 0']),
  query: request('POST /messages?model=other HTTP/1.1', ['Content-Length: 0']),
  dots: request('POST /x/../messages HTTP/1.1', ['Content-Length: 0']),
  encoded: request('POST /%6dessages HTTP/1.1', ['Content-Length: 0']),
  slash: request('POST /messages/ HTTP/1.1', ['Content-Length: 0']),
  doubleSlash: request('POST //evil.test/messages HTTP/1.1', ['Content-Length: 0']),
  absolute: request('POST http://evil.test/messages HTTP/1.1', ['Content-Length: 0']),
  asterisk: request('OPTIONS * HTTP/1.1'),
  connect: request('CONNECT evil.test:443 HTTP/1.1'),
  upgrade: request('GET /messages HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x']),
  upgradePost: post(good, ['Connection: Upgrade', 'Upgrade: h2c']),
  hugeHeader: request('POST /messages HTTP/1.1', [`X: ${'x'.repeat(100_000)}`]),
  manyHeaders: request(
    'POST /messages HTTP/1.1',
    Array.from({ length: 10_000 }, (_, n) => `X${n}: x`),
  ),
  lengthAndChunks: request(
    'POST /messages HTTP/1.1',
    ['Content-Type: application/json', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
    '0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n',
  ),
  twoLengths: request('POST /messages HTTP/1.1', ['Content-Length: 5', 'Content-Length: 6'], 'abcdef'),
  otherCoding: request(
    'POST /messages HTTP/1.1',
    ['Content-Type: application/json', 'Transfer-Encoding: xchunked'],
    good,
  ),
  folded: request('POST /messages HTTP/1.1', ['X: a\r\n b', 'Content-Length: 0']),
  spaceInName: request('POST /messages HTTP/1.1', ['X : a', 'Content-Length: 0']),
  bareLf: 'POST /messages HTTP/1.1\nHost: h\nContent-Length: 0\n\n',
  http2: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  tls: Buffer.from('16030100050100000100', 'hex'),
  noise: Buffer.from('00ff00ff0a0d00ff', 'hex'),
  compressed: post(good, ['Content-Encoding: gzip']),
  form: request('POST /messages HTTP/1.1', ['Content-Type: text/plain', 'Content-Length: 2'], '{}'),
  noJson: post('{"model":'),
  deep: post(`${'['.repeat(5000)}${']'.repeat(5000)}`),
  otherModel: post(call('claude-opus-4-7', 'hello')),
  modelTwice: post(
    good
      .replace('{', `{"model":"${model}",`)
      .replace(/("model":"[^"]*"),"model":"[^"]*"/, '$1,"model":"claude-opus-4-7"'),
  ),
  modelNul: post(call(`${model}\u0000`, 'hello')),
  imageUrl: post(call(model, [{ type: 'image', source: { type: 'url', url: 'https://evil.test/x.png' } }])),
  imageData: post(call(model, [{ type: 'image', mimeType: 'image/svg+xml', data: 'aGk=' }])),
  fileId: post(call(model, [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }])),
  serverTool: post(call(model, [{ type: 'server_tool_use', id: 'x', name: 'web_fetch', input: {} }])),
};

for (const [name, bytes] of Object.entries(CASES)) console.log(JSON.stringify({ name, ...(await send(bytes)) }));

// More connections than the wire has streams: the surplus is closed, the others are answered.
const crowd = await Promise.all(Array.from({ length: 40 }, () => send(request('GET /messages HTTP/1.1'))));
console.log(JSON.stringify({ name: 'crowd', statuses: crowd.map(({ status, how }) => status || how) }));

// Pipelined: a request behind one that is refused.
console.log(JSON.stringify({ name: 'pipelined', ...(await send(request('GET /a HTTP/1.1') + post(good))) }));

// The same behind a call that is in order: it would be carried out without an answer, or be kept.
console.log(
  JSON.stringify({
    name: 'pipelinedCalls',
    ...(await send(post(call(model, 'first of two')) + post(call(model, 'second of two')))),
  }),
);

// A call that is in order but for fields of the provider's own: they must not travel on.
const extra = {
  tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }],
  mcp_servers: [{ type: 'url', url: 'https://evil.test/mcp' }],
  container: 'container_1',
  metadata: { user_id: 'evil-user' },
  headers: { 'x-api-key': 'evil-key' },
  options: {
    sessionId: 'evil-session',
    headers: { 'x-evil': 'evil-header' },
    apiKey: 'evil-key',
    baseUrl: 'https://evil.test',
  },
};
const strange = post(call(model, 'evil-free text', extra), [
  'X-Api-Key: evil-key',
  'Authorization: Bearer evil-key',
  'X-Forwarded-Host: evil.test',
  'Anthropic-Beta: evil-beta',
]);
console.log(JSON.stringify({ name: 'extra', ...(await send(strange)) }));
