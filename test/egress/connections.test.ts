import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { proxy, upstream } from './support.ts';

const TOO_LATE_MS = 16_000;

afterEach(() => void vi.useRealTimers());

describe('a connection to the proxy', () => {
  test('that sends more behind what is no request is one attempt', async () => {
    const { egress, ledger } = await proxy({});
    const [client, server] = duplexPair();
    egress.handleStream(server);
    client.resume();
    for (let sent = 0; sent < 5; sent++) {
      client.write('no request\r\n\r\n');
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.end();
    await once(server, 'close');
    expect(ledger).toMatchObject([{ attempt: 1, code: 'protocol' }]);
  });

  test('whose headers never end is refused in time, once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { egress, ledger } = await proxy({});
    const [client, server] = duplexPair();
    egress.handleStream(server);
    client.resume();
    client.write('GET http://host.example/ HTTP/1.1\r\nX-Slow:');
    await vi.advanceTimersByTimeAsync(15_000);
    client.write('\0');
    await vi.advanceTimersByTimeAsync(TOO_LATE_MS);
    expect(server.destroyed).toBe(true);
    expect(ledger).toMatchObject([{ attempt: 1, code: 'header_timeout' }]);
  });

  test('that the client keeps open behind its answer is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { port } = await upstream('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    const { egress, ledger } = await proxy({ allow: [`127.0.0.1:${port}`] });
    const [client, server] = duplexPair();
    egress.handleStream(server);
    client.resume();
    client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(client, 'end');
    expect(server.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(TOO_LATE_MS);
    expect(server.destroyed).toBe(true);
    expect(ledger.at(-1)).toMatchObject({ entry: 'egress_end', code: 'done' });
  });
});
