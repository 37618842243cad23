import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fixedGateway } from './fixed-gateway.ts';
import { post, requestBody } from './harness.ts';
import { wireStream } from './wire-stream.ts';

const FLOOD = 200_000;
/** What 64 KiB hold of the smallest request. */
const ONE_CHUNK = 4_000;

const fixed = fixedGateway();

/** Every request of this process that Node's parser made objects of. */
let parsed = 0;
const count = (): void => {
  parsed++;
};
beforeEach(() => {
  parsed = 0;
  fixed.source.gate = new Promise(() => undefined);
  subscribe('http.server.request.start', count);
});
afterEach(() => unsubscribe('http.server.request.start', count));

/** An HTTP/2 stream as on the wire, or a socket. */
async function openConnection(kind: string): Promise<{ connection: Duplex; end: () => void }> {
  if (kind === 'socket') {
    const connection = connect(fixed.harness.port, '127.0.0.1');
    return { connection, end: () => connection.destroy() };
  }
  return wireStream(fixed.harness.gateway);
}

describe.each(['socket', 'stream of the wire'])('requests behind an unanswered one, over a %s', (kind) => {
  test.each([
    ['as they should be', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['that Node refuses by itself', 'GET / HTTP/1.1\r\n\r\n'],
    ['that expect something odd', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'],
    ['of HTTP/1.0', 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
  ])('end the connection, %s', async (_name, request) => {
    const { connection, end } = await openConnection(kind);
    connection.on('error', () => undefined).resume();
    connection.write(post(requestBody('fixed')));
    await expect.poll(() => fixed.source.calls.length).toBe(1);
    const closed = new Promise((resolve) => connection.once('close', resolve));
    Readable.from(
      (function* () {
        for (let sent = 0; sent < FLOOD; sent += 1_000) yield Buffer.from(request.repeat(1_000));
      })(),
    ).pipe(connection);
    await closed;
    end();
    expect(parsed).toBeGreaterThan(1);
    expect(parsed).toBeLessThan(ONE_CHUNK);
    await expect.poll(() => fixed.harness.ledger.at(-1)).toMatchObject({ entry: 'close' });
    expect(fixed.source.calls).toHaveLength(1);
    expect(fixed.harness.failures).toEqual([]);
  });

  test('that came with it keep it from the provider', async () => {
    const { connection, end } = await openConnection(kind);
    connection.on('error', () => undefined).resume();
    connection.write(post(requestBody('fixed')).repeat(2));
    await new Promise((resolve) => connection.once('close', resolve));
    end();
    expect(parsed).toBe(2);
    expect(fixed.source.calls).toEqual([]);
    expect(fixed.harness.ledger).toEqual([]);
  });
});
