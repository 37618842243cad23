import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { echo, proxy, refusalIn, tunnelled, upstream } from './support.ts';

const MEBIBYTE = 1024 * 1024;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('limits', () => {
  const at = (port: number) => `127.0.0.1:${port}`;

  test('bytes of a connection cut it, and never one more passes', async () => {
    const target = await upstream(() => {});
    const { open, ledger } = await proxy({ allow: [at(target.port)], limits: { connectionBytes: 100_000 } });
    const socket = await tunnelled(open, at(target.port));
    socket.write(Buffer.alloc(MEBIBYTE));
    await expect.poll(() => ledger.at(-1)).toMatchObject({ entry: 'egress_end', code: 'bytes' });
    expect(target.received[0]?.length ?? 0).toBeLessThanOrEqual(100_000);
  });

  test('bytes of the run refuse the next connection in words', async () => {
    const target = await upstream(echo);
    const { open, ask } = await proxy({ allow: [at(target.port)], limits: { totalBytes: 10 } });
    const socket = await tunnelled(open, at(target.port));
    socket.end('12345');
    expect(await text(socket)).toBe('12345');
    expect(refusalIn(await ask(`CONNECT ${at(target.port)} HTTP/1.1\r\n\r\n`))).toBe('403 bytes');
  });

  test('a connection on which nothing moves is cut, one that moves is not', async () => {
    const target = await upstream(echo);
    const { open, ledger } = await proxy({ allow: [at(target.port)], limits: { idleMs: 400 } });
    const socket = await tunnelled(open, at(target.port));
    for (let round = 0; round < 5; round++) {
      await delay(150);
      socket.write('x');
      await once(socket, 'data');
    }
    expect(ledger).toHaveLength(1);
    await expect.poll(() => ledger.at(-1), { timeout: 2_000 }).toMatchObject({ entry: 'egress_end', code: 'idle' });
  });

  test('a connection has an end, however lively it is', async () => {
    const target = await upstream(echo);
    const { open, ledger } = await proxy({ allow: [at(target.port)], limits: { connectionMs: 300 } });
    const socket = await tunnelled(open, at(target.port));
    socket.on('data', (chunk: Buffer) => socket.write(chunk));
    socket.write('x');
    await expect.poll(() => ledger.at(-1), { timeout: 2_000 }).toMatchObject({ entry: 'egress_end', code: 'time' });
  });

  test('connections over the number are refused in words, and a free place is used again', async () => {
    const target = await upstream(echo);
    const { open, ask } = await proxy({ allow: [at(target.port)], limits: { connections: 2 } });
    const first = await tunnelled(open, at(target.port));
    await tunnelled(open, at(target.port));
    expect(refusalIn(await ask(`CONNECT ${at(target.port)} HTTP/1.1\r\n\r\n`))).toBe('503 busy');
    first.end();
    await text(first);
    await expect
      .poll(async () => (await tunnelled(open, at(target.port)).catch(() => undefined)) !== undefined)
      .toBe(true);
  });

  test('attempts over the number are closed without an answer, and said once', async () => {
    const { ask, ledger, records } = await proxy({ limits: { attempts: 3 } });
    for (let round = 0; round < 6; round++) {
      const answer = await ask('CONNECT a.example:443 HTTP/1.1\r\n\r\n');
      expect(answer === '').toBe(round >= 3);
    }
    expect(ledger).toHaveLength(3);
    expect(records.filter(({ type }) => type === 'egress.limit')).toHaveLength(1);
  });

  test('a target that does not answer costs the time to connect and no more', async () => {
    const { ask, ledger } = await proxy({
      ...{ mode: 'open', limits: { connectMs: 300 }, names: { 'dead.example': [['198.51.100.1', '240.0.0.1']] } },
    });
    expect(refusalIn(await ask('CONNECT dead.example:443 HTTP/1.1\r\n\r\n'))).toBe('403 address');
    expect(ledger).toHaveLength(1);
    const closed = await proxy({ allow: ['127.0.0.1:1'] });
    expect(refusalIn(await closed.ask('CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n'))).toBe('502 unreachable');
    expect(closed.ledger).toMatchObject([{ decision: 'allow' }, { entry: 'egress_end', code: 'unreachable', sent: 0 }]);
  });
});

test('a line that cannot be written stops the attempt before anything leaves, and the run', async () => {
  const target = await upstream(OK);
  const at = `127.0.0.1:${target.port}`;
  const { ask, failures, connects } = await proxy({
    allow: [at],
    ledger: () => {
      throw new Error('disk full');
    },
  });
  expect(await ask(`GET http://${at}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe('');
  expect(await ask('CONNECT other.example:443 HTTP/1.1\r\n\r\n')).toBe('');
  expect(connects).toEqual([]);
  expect(failures).toHaveLength(2);
});

describe('at the end of a run (M17)', () => {
  test('tunnels are cut and everything else is refused', async () => {
    const target = await upstream(echo);
    const at = `127.0.0.1:${target.port}`;
    const { egress, open, ask, ledger } = await proxy({ allow: [at] });
    const socket = await tunnelled(open, at);
    socket.resume();
    egress.revoke('the run has ended');
    await expect.poll(() => target.sockets[0]?.destroyed).toBe(true);
    await expect.poll(() => socket.readableEnded).toBe(true);
    expect(refusalIn(await ask(`CONNECT ${at} HTTP/1.1\r\n\r\n`))).toBe('403 revoked');
    expect(target.sockets).toHaveLength(1);
    expect(ledger.map((line) => line.code)).toEqual(['allowed', 'revoked', 'revoked']);
    await egress.close();
    expect(await ask(`CONNECT ${at} HTTP/1.1\r\n\r\n`)).toBe('');
  });

  test('an attempt that is still looked up does not become a connection', async () => {
    const target = await upstream(OK);
    const hold = Promise.withResolvers<void>();
    const at = `slow.example:${target.port}`;
    const allow = [at, `127.0.0.1:${target.port}`];
    const { egress, open, lookups, connects, ledger } = await proxy({
      ...{ allow, names: { 'slow.example': [['127.0.0.1']] }, hold: hold.promise },
    });
    const socket = open();
    socket.write(`CONNECT ${at} HTTP/1.1\r\n\r\n`);
    await expect.poll(() => lookups).toEqual(['slow.example']);
    egress.revoke('the run has ended');
    hold.resolve();
    await text(socket);
    expect(connects).toEqual([]);
    expect(ledger).toMatchObject([{ decision: 'refuse', code: 'revoked' }]);
  });
});
