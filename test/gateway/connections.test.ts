import { connect } from 'node:net';
import { duplexPair } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { fixedGateway } from './fixed-gateway.ts';
import { post, rawExchange, requestBody } from './harness.ts';

const fixed = fixedGateway();

describe('connections', () => {
  test('more than 32 at once are closed without an answer', async () => {
    const sockets = Array.from({ length: 32 }, () => connect(fixed.harness.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await expect.poll(() => rawExchange(fixed.harness, post(requestBody('fixed')))).toBe('');
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => rawExchange(fixed.harness, post(requestBody('fixed')))).toContain('"type":"done"');
  });

  test('a request whose headers or body never end is refused in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    for (const [bytes, code] of [
      ['POST /messages HTTP/1.1\r\nHost: x\r\nX-Slow:', 'header_timeout'],
      [post('{"model":', { 'Content-Length': '100' }), 'body_timeout'],
    ] as const) {
      const [client, server] = duplexPair();
      fixed.harness.gateway.handleStream(server);
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
    await fixed.restart({ limits: { idleMs: 600_000 } });
    let release = (): void => undefined;
    fixed.source.gate = new Promise((resolve) => {
      release = resolve;
    });
    const [client, server] = duplexPair();
    fixed.harness.gateway.handleStream(server);
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
    fixed.source.gate = new Promise(() => undefined);
    const pending = fixed.ask();
    await expect.poll(() => fixed.source.calls.length).toBe(1);
    await fixed.harness.gateway.close();
    expect(fixed.harness.ledger.at(-1)).toMatchObject({ entry: 'close' });
    await pending;
    const [client, server] = duplexPair();
    client.on('error', () => undefined);
    fixed.harness.gateway.handleStream(server);
    expect(server.destroyed).toBe(true);
  });
});
