import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as rawServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { askHost } from '../../images/guest/gate-client.ts';
import type { GateRequest } from '../../src/protocol/gate.ts';

const QUESTION: GateRequest = { v: 1, call: 'c', tool: 'bash', arguments: { command: 'é'.repeat(10) }, paths: [] };

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
  server = undefined;
});

async function listen(started: Server): Promise<number> {
  server = started.on('connection', (socket: Socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return (started.address() as AddressInfo).port;
}
const answering = (listener: RequestListener): Promise<number> => listen(createServer(listener));
const says = (body: string, status = 200): Promise<number> =>
  answering((_req, res) => void res.writeHead(status, { connection: 'close' }).end(body));
const ask = (port: number, more: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  askHost(QUESTION, { timeoutMs: 5_000, port, ...more });

describe('an answer of the host', () => {
  test.each([
    { v: 1, verdict: 'allow' },
    { v: 1, verdict: 'deny', reason: 'because' },
    { v: 1, verdict: 'change', arguments: { command: 'ls', timeout: 1 } },
  ])('%j is taken', async (answer) => {
    expect(await ask(await says(JSON.stringify(answer)))).toEqual(answer);
  });

  test('is an answer to the question, whole', async () => {
    let asked = '';
    const port = await answering((req, res) => {
      req.setEncoding('utf8').on('data', (piece: string) => {
        asked += `${req.method} ${req.url} ${piece}`;
      });
      req.on('end', () => res.end('{"v":1,"verdict":"allow"}'));
    });
    await ask(port);
    expect(asked).toBe(`POST /gate ${JSON.stringify(QUESTION)}`);
  });
});

describe('what is no answer rejects, and says why (M10)', () => {
  test.each([
    ['nothing', ''],
    ['no JSON', '<html>allow</html>'],
    ['a list', '[{"v":1,"verdict":"allow"}]'],
    ['no version', '{"verdict":"allow"}'],
    ['another version', '{"v":2,"verdict":"allow"}'],
    ['another verdict', '{"v":1,"verdict":"Allow"}'],
    ['a verdict that is no text', '{"v":1,"verdict":["allow"]}'],
    ['more than it should have', '{"v":1,"verdict":"allow","arguments":{}}'],
    ['a denial without a reason', '{"v":1,"verdict":"deny"}'],
    ['a change to nothing', '{"v":1,"verdict":"change","arguments":null}'],
    ['a change to a list', '{"v":1,"verdict":"change","arguments":[]}'],
    ['a prototype', '{"__proto__":{"v":1,"verdict":"allow"}}'],
  ])('%s', async (_what, body) => {
    await expect(ask(await says(body))).rejects.toThrow(/^its answer is (not JSON|none that the guard knows)$/);
  });

  test.each([400, 403, 404, 410, 500, 204, 302])('status %i', async (status) => {
    await expect(ask(await says('{"v":1,"verdict":"allow"}', status))).rejects.toThrow(
      `refused the question (${status})`,
    );
  });

  test('an answer that is cut', async () => {
    const port = await answering((_req, res) => {
      res.writeHead(200, { 'content-length': 100 });
      res.write('{"v":1,"verdict":"allow"}', () => res.destroy());
    });
    await expect(ask(port)).rejects.toThrow(/broke|cannot be reached/);
  });

  test('an answer that never ends', async () => {
    const port = await answering((_req, res) => {
      res.writeHead(200);
      const flood = setInterval(() => res.writableNeedDrain || res.write(Buffer.alloc(1 << 20)), 1);
      res.on('close', () => clearInterval(flood));
    });
    await expect(ask(port)).rejects.toThrow('too long');
  });

  test('something that is not HTTP', async () => {
    const port = await listen(rawServer((socket) => void socket.on('error', () => {}).end('allow\n')));
    await expect(ask(port)).rejects.toThrow(/cannot be reached/);
  });

  test('nobody who listens', async () => {
    const port = await says('');
    server?.close();
    await expect(ask(port)).rejects.toThrow(/cannot be reached \(.*ECONNREFUSED/);
  });

  test('silence: the guard has a timer of its own', async () => {
    const port = await answering(() => {});
    const started = performance.now();
    await expect(ask(port, { timeoutMs: 200 })).rejects.toThrow('no answer within 0.2 s');
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('an answer that drips: the timer counts to its end', async () => {
    const port = await answering((_req, res) => {
      res.writeHead(200);
      const drip = setInterval(() => res.write(' '), 20);
      res.on('close', () => clearInterval(drip));
    });
    await expect(ask(port, { timeoutMs: 300 })).rejects.toThrow('no answer within 0.3 s');
  });

  test('an aborted turn, also one that was aborted before', async () => {
    const port = await answering(() => {});
    const abort = new AbortController();
    const asked = ask(port, { signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toThrow('aborted');
    await expect(ask(port, { signal: abort.signal })).rejects.toThrow('aborted');
  });
});
