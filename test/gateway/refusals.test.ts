import { connect } from 'node:net';
import { duplexPair } from 'node:stream';
import type { AssistantMessageEvent, Message } from '@earendil-works/pi-ai';
import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ModelSource } from '../../src/gateway/model-source.ts';
import { Scrubber } from '../../src/gateway/scrub.ts';
import type { GatewayLimits } from '../../src/protocol/model.ts';
import {
  askAsPi,
  type Harness,
  post,
  rawExchange,
  requestBody,
  startGateway,
  systemMessage,
  userMessage,
} from './harness.ts';

/** A source that counts its calls and answers "ok", or whatever it is told. */
class FixedSource implements ModelSource {
  readonly model = {
    spec: 'test/fixed',
    provider: 'test',
    id: 'fixed',
    name: 'fixed',
    api: 'test-api',
    reasoning: false,
    input: ['text' as const],
    contextWindow: 128_000,
    maxTokens: 1_000,
  };
  readonly identity = { provider: 'test', api: 'test-api', model: 'fixed' };
  readonly scrubber = new Scrubber([]);
  readonly calls: { messages: readonly Message[]; maxTokens: number | undefined }[] = [];
  /** Each call waits for it. */
  gate: Promise<void> = Promise.resolve();
  outputTokens = 1;

  async *stream(
    messages: readonly Message[],
    options: { maxTokens?: number },
    signal: AbortSignal,
  ): AsyncGenerator<AssistantMessageEvent> {
    this.calls.push({ messages, maxTokens: options.maxTokens });
    await Promise.race([this.gate, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
    yield {
      type: 'done',
      reason: 'stop',
      message: {
        role: 'assistant',
        content: [],
        ...{ provider: 'test', api: 'test-api', model: 'fixed', stopReason: 'stop', timestamp: 1 },
        usage: { input: 10, output: this.outputTokens, cacheRead: 0, cacheWrite: 0, totalTokens: 11, cost },
      },
    };
  }

  price(): number {
    return 0;
  }
}

let source: FixedSource;
let harness: Harness;

async function start(limits: Partial<GatewayLimits> = {}): Promise<void> {
  source = new FixedSource();
  harness = await startGateway(source, { limits });
}

beforeEach(() => start());
afterEach(async () => {
  vi.useRealTimers();
  await harness.close();
});

async function restart(limits: Partial<GatewayLimits>): Promise<void> {
  await harness.close();
  await start(limits);
}

const OPENING = [systemMessage(), userMessage('hi')];
const ask = () => askAsPi(harness, 'fixed', OPENING);

test('the positive control: a plain POST /messages is answered', async () => {
  const answer = await rawExchange(harness, post(requestBody('fixed')));
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(answer.match(/"type":"done"/g)).toHaveLength(1);
  expect(source.calls).toHaveLength(1);
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
    const answer = await rawExchange(harness, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`"code":"${code}"`);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(source.calls).toEqual([]);
    expect(harness.ledger).toMatchObject([{ entry: 'refused', code, status }]);
    expect(harness.records).toMatchObject([{ source: 'observed', type: 'gateway.refused', code }]);
    expect(harness.gateway.state.requests).toBe(0);
  });

  test('invalid UTF-8 is not repaired', async () => {
    const bytes = Buffer.from(requestBody('fixed').replace('hi', 'h\u0001'));
    bytes[bytes.indexOf('h\\u0001')] = 0xff;
    const head = post('', { 'Content-Length': String(bytes.length) });
    expect(await rawExchange(harness, Buffer.concat([Buffer.from(head), bytes]))).toContain('"code":"json"');
  });
});

describe('the conversation that goes on is a copy of known fields', () => {
  test('unknown fields, provider tools and __proto__ are left behind', async () => {
    const messages = [
      {
        ...systemMessage(),
        cache_control: 1,
        toolsAdded: [
          {
            name: 'bash',
            description: 'x',
            parameters: JSON.parse('{"__proto__":{"polluted":1},"type":"object"}'),
            type: 'web_search',
          },
          { name: 'read', description: 'x', parameters: {} },
        ],
      },
      { ...userMessage('hi'), mcp_servers: ['http://evil.test'] },
    ];
    const body = JSON.stringify({
      model: 'fixed',
      context: { messages, tools: [{ type: 'web_fetch' }] },
      options: { headers: { a: 'b' }, apiKey: 'x' },
      metadata: {},
    });
    expect(await rawExchange(harness, post(body))).toContain('"type":"done"');
    const sent = JSON.stringify(source.calls[0]);
    expect(sent).not.toMatch(/web_|mcp_|cache_control|polluted|apiKey|headers/);
    expect(sent).toContain('"parameters":{"type":"object"}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('a duplicate key reaches nobody: the body is written anew', async () => {
    const body = requestBody('fixed').replace('"model":"fixed"', '"model":"other","model":"fixed"');
    expect(await rawExchange(harness, post(body))).toContain('"type":"done"');
    expect(JSON.stringify(source.calls)).not.toContain('other');
  });
});

describe('declared tools', () => {
  test('other tools than planned end the run as "tools", and pi does not retry', async () => {
    const answer = await askAsPi(harness, 'fixed', [systemMessage(['bash', 'timeout']), userMessage('hi')]);
    expect(answer.errorMessage).toContain('(tools)');
    expect(isRetryableAssistantError(answer)).toBe(false);
    expect(source.calls).toEqual([]);
    expect(harness.failures).toMatchObject([
      {
        kind: 'tools',
        message: 'pi declared other tools than planned: not planned: "timeout"; planned but missing: "read"',
      },
    ]);
  });

  test('no tools at all are only allowed after the planned ones were seen, as pi does for a compaction', async () => {
    expect((await ask()).stopReason).toBe('stop');
    expect((await askAsPi(harness, 'fixed', [systemMessage([]), userMessage('summarise')])).stopReason).toBe('stop');
    await restart({});
    expect((await askAsPi(harness, 'fixed', [systemMessage([]), userMessage('hi')])).stopReason).toBe('error');
    expect(harness.failures).toMatchObject([{ kind: 'tools' }]);
  });
});

describe('limits end the run by name, and pi does not retry', () => {
  test('requests', async () => {
    await restart({ requests: 1 });
    expect((await ask()).stopReason).toBe('stop');
    const second = await ask();
    expect(second.errorMessage).toMatch(/^403 .*out of budget.*\(limit\)$/);
    expect(isRetryableAssistantError(second)).toBe(false);
    expect(harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.requests' }]);
    expect(harness.records.at(-2)).toMatchObject({ type: 'gateway.limit', limit: 'gateway.requests' });
    expect(source.calls).toHaveLength(1);
  });

  test('calls at the same time: fifty of them cannot pass together', async () => {
    await restart({ concurrentCalls: 2, requests: 50 });
    let release = (): void => undefined;
    source.gate = new Promise((resolve) => {
      release = resolve;
    });
    const pending = Array.from({ length: 20 }, ask);
    await expect.poll(() => harness.gateway.state.refused).toBe(18);
    expect(source.calls).toHaveLength(2);
    release();
    const answers = await Promise.all(pending);
    expect(answers.filter(({ stopReason }) => stopReason === 'stop')).toHaveLength(2);
    expect(harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.concurrentCalls' }]);
    expect(harness.failures).toHaveLength(1);
  });

  test('a body that says it is too large is refused before it is sent', async () => {
    await restart({ requestBytes: 1_000 });
    const answer = await rawExchange(harness, post('', { 'Content-Length': '1000000000' }));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.requestBytes' }]);
  });

  test('a body in chunks is counted while it comes', async () => {
    await restart({ requestBytes: 10_000 });
    const head = post('', { 'Transfer-Encoding': 'chunked' }).replace('Content-Length: 0\r\n', '');
    const answer = await rawExchange(harness, `${head}${`1000\r\n${' '.repeat(0x1000)}\r\n`.repeat(20)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('out of budget');
  });

  test('bytes of all requests', async () => {
    await restart({ totalRequestBytes: 600 });
    expect((await ask()).stopReason).toBe('stop');
    expect((await ask()).errorMessage).toContain('out of budget');
    expect(harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.totalRequestBytes' }]);
  });

  test('output tokens: clamped for a call, reserved before it, settled after it', async () => {
    await restart({ outputTokensPerCall: 300, outputTokens: 500 });
    source.outputTokens = 400;
    expect((await ask()).stopReason).toBe('stop');
    expect((await ask()).stopReason).toBe('stop');
    expect(source.calls.map(({ maxTokens }) => maxTokens)).toEqual([300, 100]);
    expect((await ask()).errorMessage).toContain('out of budget');
    expect(harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.outputTokens' }]);
    expect(harness.gateway.state).toMatchObject({ costUsd: 1, usage: { output: 800 } });
  });

  test('after a limit nothing more is answered', async () => {
    await restart({ requests: 1 });
    await ask();
    await ask();
    const third = await ask();
    expect(third.errorMessage).toContain('(failed)');
    expect(isRetryableAssistantError(third)).toBe(false);
    expect(harness.failures).toHaveLength(1);
  });
});

describe('the ledger', () => {
  test('a ledger that cannot be written ends the run before anything goes to the provider', async () => {
    await harness.close();
    source = new FixedSource();
    harness = await startGateway(source, {
      ledger: () => {
        throw new Error('disk full');
      },
    });
    const answer = await ask();
    expect(answer.stopReason).toBe('error');
    expect(answer.content).toEqual([]);
    expect(source.calls).toEqual([]);
    expect(harness.failures).toMatchObject([{ kind: 'internal', message: expect.stringContaining('disk full') }]);
    expect(harness.gateway.state.inFlight).toBe(0);
  });

  test('the end of an answer is not sent when its ledger line cannot be written', async () => {
    await harness.close();
    source = new FixedSource();
    harness = await startGateway(source, {
      ledger: ({ entry }) => {
        if (entry === 'close') throw new Error('disk full');
      },
    });
    const answer = await rawExchange(harness, post(requestBody('fixed')));
    expect(answer).toContain('200 OK');
    expect(answer).not.toContain('"type":"done"');
    expect(harness.failures).toMatchObject([{ kind: 'internal' }]);
  });

  test('a loop of refused requests cannot fill it', async () => {
    const many = Array.from({ length: 1_050 }, () => 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n');
    for (let at = 0; at < many.length; at += 25) {
      await Promise.all(many.slice(at, at + 25).map((bytes) => rawExchange(harness, bytes)));
    }
    expect(harness.ledger).toHaveLength(1_000);
    expect(await rawExchange(harness, many[0]!)).toBe('');
  });
});

describe('connections', () => {
  test('more than 32 at once are closed without an answer', async () => {
    const sockets = Array.from({ length: 32 }, () => connect(harness.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await expect.poll(() => rawExchange(harness, post(requestBody('fixed')))).toBe('');
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => rawExchange(harness, post(requestBody('fixed')))).toContain('"type":"done"');
  });

  test('a request whose headers or body never end is refused in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    for (const [bytes, code] of [
      ['POST /messages HTTP/1.1\r\nHost: x\r\nX-Slow:', 'header_timeout'],
      [post('{"model":', { 'Content-Length': '100' }), 'body_timeout'],
    ] as const) {
      const [client, server] = duplexPair();
      harness.gateway.handleStream(server);
      let answer = '';
      client.on('data', (piece: Buffer) => {
        answer += piece.toString();
      });
      client.write(bytes);
      await vi.advanceTimersByTimeAsync(61_000);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain(code);
      expect(server.destroyed).toBe(true);
    }
  });

  test('a comment every 15 s keeps a thinking model alive', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    await restart({ idleMs: 600_000 });
    let release = (): void => undefined;
    source.gate = new Promise((resolve) => {
      release = resolve;
    });
    const [client, server] = duplexPair();
    harness.gateway.handleStream(server);
    let answer = '';
    client.on('data', (piece: Buffer) => {
      answer += piece.toString();
    });
    client.write(post(requestBody('fixed')));
    await vi.advanceTimersByTimeAsync(330_000);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer.match(/^:$/gm)).toHaveLength(22);
    release();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(answer.match(/"type":"done"/g)).toHaveLength(1);
  });

  test('closing waits for the ledger line of a call under way', async () => {
    source.gate = new Promise(() => undefined);
    const pending = ask();
    await expect.poll(() => source.calls.length).toBe(1);
    await harness.gateway.close();
    expect(harness.ledger.at(-1)).toMatchObject({ entry: 'close' });
    await pending;
    const [client, server] = duplexPair();
    client.on('error', () => undefined);
    harness.gateway.handleStream(server);
    expect(server.destroyed).toBe(true);
  });
});
