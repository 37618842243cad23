import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { echo, proxy, refusalIn, tunnelled, upstream } from './support.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const MEBIBYTE = 1024 * 1024;

describe('a tunnel', () => {
  test('carries any bytes both ways, each direction to its own end', async () => {
    const target = await upstream(echo);
    const { open, ledger } = await proxy({ allow: [`127.0.0.1:${target.port}`] });
    const socket = await tunnelled(open, `127.0.0.1:${target.port}`);
    const bytes = randomBytes(3 * MEBIBYTE);
    socket.end(bytes);
    expect((await buffer(socket)).equals(bytes)).toBe(true);
    expect(target.received[0]?.equals(bytes)).toBe(true);
    await expect.poll(() => ledger.length).toBe(2);
    expect(ledger[0]).toMatchObject({
      ...{ entry: 'egress', attempt: 1, method: 'connect', host: '127.0.0.1', port: target.port },
      ...{ decision: 'allow', rule: `allow 127.0.0.1:${target.port}`, code: 'allowed', address: '127.0.0.1' },
    });
    expect(ledger[1]).toMatchObject({
      ...{ entry: 'egress_end', attempt: 1, code: 'done', sent: bytes.length, received: bytes.length },
    });
  });

  test('takes along what the client sent without waiting for the answer', async () => {
    const target = await upstream(echo);
    const { open } = await proxy({ allow: [`127.0.0.1:${target.port}`] });
    const socket = open();
    socket.write(`CONNECT 127.0.0.1:${target.port} HTTP/1.1\r\n\r\nearly`);
    socket.end(' bird');
    expect(await text(socket)).toBe('HTTP/1.1 200 Connection established\r\n\r\nearly bird');
  });

  test('that the target resets ends as broken', async () => {
    const target = await upstream((socket) => {
      socket.write('half', () => socket.resetAndDestroy());
    });
    const { open, ledger } = await proxy({ allow: [`127.0.0.1:${target.port}`] });
    const socket = await tunnelled(open, `127.0.0.1:${target.port}`);
    socket.write('x');
    socket.resume();
    await expect.poll(() => ledger.at(-1)).toMatchObject({ entry: 'egress_end', code: 'broken' });
    await expect.poll(() => socket.readableEnded).toBe(true);
  });

  test('ends at the target when the client is gone (M20)', async () => {
    const target = await upstream(() => {});
    const { open, ledger } = await proxy({ allow: [`127.0.0.1:${target.port}`] });
    const socket = await tunnelled(open, `127.0.0.1:${target.port}`);
    socket.write('x');
    await expect.poll(() => target.received[0]?.length).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => target.sockets[0]?.destroyed).toBe(true);
    await expect.poll(() => ledger.at(-1)).toMatchObject({ entry: 'egress_end', sent: 1 });
  });

  test('holds the target back when the client reads slowly, and loses nothing (BR13)', async () => {
    const bytes = randomBytes(48 * MEBIBYTE);
    let handedOver = 0;
    const target = await upstream((socket) => {
      const rest = (at: number): void => {
        if (at >= bytes.length) return void socket.end();
        handedOver = at + MEBIBYTE;
        socket.write(bytes.subarray(at, handedOver), () => rest(at + MEBIBYTE));
      };
      rest(0);
    });
    const { open } = await proxy({ allow: [`127.0.0.1:${target.port}`] });
    const socket = await tunnelled(open, `127.0.0.1:${target.port}`);
    socket.pause();
    socket.write('go');
    await delay(700);
    expect(handedOver).toBeLessThan(32 * MEBIBYTE);
    const hash = createHash('sha256')
      .update(await buffer(socket))
      .digest('hex');
    expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});

describe('a plain request', () => {
  test('reaches the target in its own form, with nothing of what is between client and proxy', async () => {
    const target = await upstream(OK);
    const at = `127.0.0.1:${target.port}`;
    const { ask, ledger } = await proxy({ allow: [at] });
    const answer = await ask(
      `GET http://${at}/a/%2e%2e/b;x?q=%00&y=1 HTTP/1.1\r\nHost: elsewhere.example\r\nX-Own: One\r\nX-own: two\r\n` +
        'Proxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: keep-alive\r\nConnection: keep-alive, X-Hop\r\n' +
        'X-Hop: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nKeep-Alive: 5\r\n\r\n',
    );
    expect(answer).toBe('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    expect(target.received.map(String)).toEqual([
      `GET /a/%2e%2e/b;x?q=%00&y=1 HTTP/1.1\r\nHost: ${at}\r\nX-Own: One\r\nX-own: two\r\nConnection: close\r\n\r\n`,
    ]);
    await expect.poll(() => ledger.at(-1)).toMatchObject({ entry: 'egress_end', code: 'done', received: 2 });
  });

  test.each([
    ['sized', 'Content-Length: 5\r\n\r\nhello', 'Content-Length: 5\r\nConnection: close\r\n\r\nhello'],
    [
      'chunked',
      'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ],
    ['empty', '\r\n', 'Content-Length: 0\r\nConnection: close\r\n\r\n'],
  ])('with a %s body is sent on as one', async (_name, sent, got) => {
    const target = await upstream((socket, chunk) => {
      if (/hello|0\r\nConn/.test(String(chunk))) setTimeout(() => socket.end(OK), 30);
    });
    const at = `127.0.0.1:${target.port}`;
    const { ask } = await proxy({ allow: [at] });
    expect(await ask(`POST http://${at} HTTP/1.1\r\nHost: x\r\n${sent}`)).toContain('200 OK');
    expect(String(target.received[0])).toBe(`POST / HTTP/1.1\r\nHost: ${at}\r\n${got}`);
  });

  test('may wait for 100 Continue, which it gets once it is allowed', async () => {
    const target = await upstream((socket, chunk) => {
      if (String(chunk).includes('hello')) socket.end(OK);
    });
    const at = `127.0.0.1:${target.port}`;
    const { open } = await proxy({ allow: [at] });
    const socket = open();
    socket.write(`PUT http://${at}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`);
    expect(String(await once(socket, 'data'))).toContain('100 Continue');
    socket.write('hello');
    expect(await text(socket)).toContain('200 OK');
    expect(String(target.received[0])).not.toContain('Expect');
  });

  test('gets the body of the answer byte for byte, server-sent events and compressed ones too (D25)', async () => {
    const events = ': hello\r\nevent: a\r\nid: 1\r\nretry: 5\r\ndata: x\n\n\ndata: y\r\n\r\n';
    const packed = gzipSync(events);
    for (const body of [Buffer.from(events), packed]) {
      const head = 'HTTP/1.1 200 Fine\r\nContent-Type: text/event-stream\r\nX-A: 1\r\nx-a: 2\r\n';
      const target = await upstream((socket) => {
        socket.write(`${head}${body === packed ? 'Content-Encoding: gzip\r\n' : ''}\r\n`);
        socket.end(body);
      });
      const at = `127.0.0.1:${target.port}`;
      const { open } = await proxy({ allow: [at] });
      const socket = open();
      // Of an older client, so that nothing is framed anew.
      socket.write(`GET http://${at}/ HTTP/1.0\r\n\r\n`);
      const answer = await buffer(socket);
      expect(answer.toString('latin1')).toContain('X-A: 1\r\nx-a: 2\r\n');
      expect(answer.subarray(answer.indexOf('\r\n\r\n') + 4).equals(body)).toBe(true);
    }
  });

  test('gets a redirect as it is; where it leads is an attempt of its own (BR14)', async () => {
    const target = await upstream(
      'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n',
    );
    const at = `127.0.0.1:${target.port}`;
    const { ask, connects } = await proxy({ allow: [at] });
    expect(await ask(`GET http://${at}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toContain('Location: http://169.254.169.254/');
    expect(connects).toEqual([`127.0.0.1 ${target.port}`]);
    expect(refusalIn(await ask('GET http://169.254.169.254/ HTTP/1.1\r\nHost: x\r\n\r\n'))).toBe('403 not_allowed');
  });

  test('with an answer that is cut ends as cut', async () => {
    const target = await upstream('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    const at = `127.0.0.1:${target.port}`;
    const { open, ledger } = await proxy({ allow: [at] });
    const socket = open();
    socket.write(`GET http://${at}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    socket.resume();
    await expect.poll(() => ledger.at(-1)).toMatchObject({ entry: 'egress_end', code: 'broken' });
  });

  test('that is not answered, or by something that is no HTTP, says so', async () => {
    for (const answer of ['', 'nonsense\r\n\r\n']) {
      const target = await upstream((socket) => socket.end(answer));
      const at = `127.0.0.1:${target.port}`;
      const { ask } = await proxy({ allow: [at] });
      expect(refusalIn(await ask(`GET http://${at}/ HTTP/1.1\r\nHost: x\r\n\r\n`))).toBe('502 unreachable');
    }
  });

  test('has nothing carried out that is sent behind it', async () => {
    const target = await upstream((socket) => setTimeout(() => socket.end(OK), 50));
    const at = `127.0.0.1:${target.port}`;
    const { ask, ledger } = await proxy({ allow: [at] });
    const get = (path: string) => `GET http://${at}/${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    await ask(get('one') + get('two'));
    expect(target.received.map(String).join('')).not.toContain('two');
    expect(ledger.filter(({ entry }) => entry === 'egress')).toHaveLength(1);
  });

  test('has no tunnel opened that is asked for behind it', async () => {
    const target = await upstream((socket) => setTimeout(() => socket.end(OK), 50));
    const at = `127.0.0.1:${target.port}`;
    const { ask, ledger } = await proxy({ allow: [at] });
    await ask(`GET http://${at}/ HTTP/1.1\r\nHost: x\r\n\r\nCONNECT ${at} HTTP/1.1\r\n\r\n`);
    await expect.poll(() => ledger.some(({ entry }) => entry === 'egress_end')).toBe(true);
    expect(ledger.filter(({ entry }) => entry === 'egress')).toMatchObject([{ method: 'http' }]);
  });
});

describe('what is no request to a proxy is refused at once, and reaches nobody (D27, BR4, BR7)', () => {
  test.each([
    ['a path', 'GET /v1/files HTTP/1.1\r\nHost: x\r\n\r\n', '400 form'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', '400 form'],
    ['an https address', 'GET https://TARGET/ HTTP/1.1\r\nHost: x\r\n\r\n', '400 scheme'],
    ['an ftp address', 'GET ftp://TARGET/ HTTP/1.1\r\nHost: x\r\n\r\n', '400 scheme'],
    ['a fragment', 'GET http://TARGET/#x HTTP/1.1\r\nHost: x\r\n\r\n', '400 form'],
    [
      'a WebSocket',
      'GET http://TARGET/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n',
      '426 upgrade',
    ],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400 protocol'],
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex'), '400 protocol'],
    ['SOCKS', Buffer.from([5, 1, 0]), '400 protocol'],
    [
      'two lengths',
      'POST http://TARGET/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
      '400 protocol',
    ],
    [
      'length and chunks',
      'POST http://TARGET/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400 protocol',
    ],
    [
      'an unknown encoding',
      'POST http://TARGET/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n',
      '400 framing',
    ],
    ['no Host', 'GET http://TARGET/ HTTP/1.1\r\n\r\n', '400 protocol'],
    ['an odd expectation', 'GET http://TARGET/ HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n', '400 protocol'],
    ['a space before a colon', 'GET http://TARGET/ HTTP/1.1\r\nHost : x\r\n\r\n', '400 protocol'],
    ['bare line feeds', 'GET http://TARGET/ HTTP/1.1\nHost: x\n\n', '400 protocol'],
    ['a tab in the address', 'GET http://TARGET/\ta HTTP/1.1\r\nHost: x\r\n\r\n', '400 protocol'],
    ['large headers', `GET http://TARGET/ HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431 header_size'],
  ])('%s', async (_name, sent, refused) => {
    const target = await upstream(OK);
    const at = `127.0.0.1:${target.port}`;
    const { ask, ledger } = await proxy({ allow: [at] });
    const started = performance.now();
    const bytes = typeof sent === 'string' ? sent.replace('TARGET', at) : sent;
    expect(refusalIn(await ask(bytes))).toBe(refused);
    expect(performance.now() - started).toBeLessThan(1_500);
    expect(target.received).toEqual([]);
    expect(ledger).toMatchObject([{ entry: 'egress', decision: 'refuse', code: refused.slice(4) }]);
  });
});

test('a refusal says what was refused, by what, and how it would be allowed', async () => {
  const { ask, ledger, records } = await proxy({ allow: ['registry.example:443'] });
  const answer = await ask('CONNECT Evil.Example.:443 HTTP/1.1\r\n\r\n');
  expect(answer).toMatch(
    /^HTTP\/1\.1 403 Forbidden \(pi-sandbox: evil\.example:443 is not among what this run may reach/,
  );
  expect(answer.split('\r\n\r\n')[1]).toBe(
    'pi-sandbox: evil.example:443 is not among what this run may reach. It takes --allow evil.example:443 on the ' +
      'command line of pi-sandbox.\n',
  );
  expect(ledger).toMatchObject([
    { decision: 'refuse', host: 'evil.example', port: 443, rule: 'network allow', code: 'not_allowed' },
  ]);
  expect(records).toMatchObject(
    [{ source: 'observed', type: 'egress', decision: 'refuse', message: /evil/ }].map(
      ({ message: _message, ...rest }) => rest,
    ),
  );
});
