import { describe, expect, test } from 'vitest';
import { proxy, refusalIn, upstream } from './support.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const connect = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`;
const get = (authority: string) => `GET http://${authority}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
const FORMS = [
  ['CONNECT', connect],
  ['a plain request', get],
] as const;

describe.each(FORMS)('the allow-list, by %s (D30, BR15)', (_form, ask) => {
  const allow = ['api.example.com:443', 'xn--bcher-kva.example:443', '[2001:4860:4860::8888]:443'];
  const names = { 'api.example.com': [['127.0.0.1']], 'xn--bcher-kva.example': [['127.0.0.1']] };

  test.each(['api.example.com:443', 'API.EXAMPLE.COM:443', 'api.example.com.:443', 'XN--BCHER-KVA.example:443'])(
    '%s is what it names',
    async (authority) => {
      const found = await proxy({ allow, names });
      // Its address is a private one here: it passed the list and was looked up.
      expect(refusalIn(await found.ask(ask(authority)))).toBe('403 address');
      expect(found.lookups).toHaveLength(1);
    },
  );

  test.each([
    ['notapi.example.com:443', 'not_allowed'],
    ['api.example.com.evil.test:443', 'not_allowed'],
    ['evil-api.example.com:443', 'not_allowed'],
    ['x.api.example.com:443', 'not_allowed'],
    ['example.com:443', 'not_allowed'],
    ['api.example.com:22', 'not_allowed'],
    ['api.example.com:4430', 'not_allowed'],
    ['api.example.com..:443', 'host'],
    ['user@api.example.com:443', 'host'],
    ['api.example.com:443@evil.test:443', 'host'],
    ['api.example.com%00.evil.test:443', 'host'],
    ['api%2eexample%2ecom:443', 'host'],
    ['*.example.com:443', 'host'],
    ['api.example.com:', 'host'],
    ['api.example.com:0', 'host'],
    ['api.example.com:0443', 'host'],
    ['api.example.com:65979', 'host'],
    ['api.example.com:+443', 'host'],
    ['api.example.com:443:443', 'host'],
    ['[api.example.com]:443', 'host'],
    ['[2001:4860:4860::8888%25eth0]:443', 'host'],
    ['2001:4860:4860::8888:443', 'host'],
    ['[::ffff:8.8.8.8]:443', 'not_allowed'],
    ['-api.example.com:443', 'host'],
    ['api.example.com,evil.test:443', 'host'],
    ['0x7f.1:443', 'host'],
    ['127.1:443', 'host'],
    ['2130706433:443', 'host'],
    ['0177.0.0.1:443', 'host'],
    ['127.0.0.1.:443', 'not_allowed'],
  ])('%s is not: %s', async (authority, code) => {
    const found = await proxy({ allow, names });
    expect(refusalIn(await found.ask(ask(authority)))).toMatch(new RegExp(`^40[03] ${code}$`));
    expect(found.lookups).toEqual([]);
    expect(found.connects).toEqual([]);
    expect(found.ledger).toMatchObject([{ decision: 'refuse', code }]);
  });
});

test('a host with a NUL or other bytes in it is refused by the parser', async () => {
  const found = await proxy({ allow: ['api.example.com:443'] });
  for (const byte of ['\0', '\t', '\x7f', '\xe9', '\\']) {
    expect(await found.ask(connect(`api.example.com${byte}.evil.test:443`))).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect(found.lookups).toEqual([]);
});

const FORBIDDEN = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.9.9.9',
  '169.254.169.254',
  '168.63.129.16',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2002:7f00:1::',
  '100::1',
];

describe('an address that is not public', () => {
  test.each(FORBIDDEN)('%s is not connected to, however it is come by (BR15, D28)', async (address) => {
    const names = { 'evil.example': [[address]] };
    for (const options of [{ mode: 'open' as const }, { allow: ['evil.example:80'] }]) {
      const found = await proxy({ ...options, names });
      expect(refusalIn(await found.ask(connect('evil.example:80')))).toBe('403 address');
      expect(found.connects).toEqual([]);
    }
    const literal = address.includes(':') ? `[${address}]` : address;
    const open = await proxy({ mode: 'open' });
    expect(refusalIn(await open.ask(get(`${literal}:80`)))).toBe('403 address');
    expect(open.connects).toEqual([]);
    expect(open.lookups).toEqual([]);
  });

  test('beside a public one is passed over: only the public one is connected to', async () => {
    const names = { 'mixed.example': [['127.0.0.1', '10.0.0.1', '8.8.8.8', 'fe80::1']] };
    const found = await proxy({ mode: 'open', names, limits: { connectMs: 50 } });
    await found.ask(connect('mixed.example:9'));
    expect(found.connects).toEqual(['8.8.8.8 9']);
  });

  test('that the name has the second time it is asked for is never seen: it is looked up once', async () => {
    const target = await upstream(OK);
    const names = { 'rebind.example': [['8.8.8.8'], ['127.0.0.1']] };
    const found = await proxy({ mode: 'open', names, limits: { connectMs: 50 } });
    await found.ask(connect(`rebind.example:${target.port}`));
    expect(found.connects).toEqual([`8.8.8.8 ${target.port}`]);
    expect(found.lookups).toEqual(['rebind.example']);
    expect(refusalIn(await found.ask(connect(`rebind.example:${target.port}`)))).toBe('403 address');
    expect(target.received).toEqual([]);
  });

  test('of this machine counts as private, even where it is a public one', async () => {
    const found = await proxy({ mode: 'open', ownAddresses: ['8.8.4.4', '2001:4860:4860:0::8844'] });
    for (const authority of ['8.8.4.4:2375', '[2001:4860:4860::8844]:22']) {
      expect(refusalIn(await found.ask(connect(authority)))).toBe('403 address');
    }
    expect(found.connects).toEqual([]);
  });

  test('and of localhost is reached where it was allowed by that very name and port, whatever the resolver says', async () => {
    const target = await upstream(OK);
    const allow = [`localhost:${target.port}`];
    for (const mode of ['allow', 'open'] as const) {
      const found = await proxy({ mode, allow, names: { localhost: [['8.8.8.8']] } });
      expect(await found.ask(get(`localhost:${target.port}`))).toContain('200 OK');
      expect(found.lookups).toEqual([]);
      expect(refusalIn(await found.ask(get(`127.0.0.1:${target.port}`)))).toMatch(/^403 (not_allowed|address)$/);
      expect(refusalIn(await found.ask(get('localhost:1')))).toMatch(/^403 (not_allowed|address)$/);
    }
  });

  test('is reached through a name where that address and port are allowed beside it', async () => {
    const target = await upstream(OK);
    const names = { 'registry.corp': [['127.0.0.1']] };
    const found = await proxy({ allow: [`registry.corp:${target.port}`, `127.0.0.1:${target.port}`], names });
    expect(await found.ask(get(`registry.corp:${target.port}`))).toContain('200 OK');
    expect(String(target.received[0])).toContain(`Host: registry.corp:${target.port}\r\n`);
    expect(found.ledger[0]).toMatchObject({ host: 'registry.corp', address: '127.0.0.1' });
  });
});

test('a name without an address says so, and so does one whose resolver fails', async () => {
  const found = await proxy({ mode: 'open' });
  expect(refusalIn(await found.ask(connect('nowhere.example:443')))).toBe('502 no_address');
});

describe('what would have been needed', () => {
  test('is kept in learn mode, where nothing leaves, without what could never be allowed', async () => {
    const found = await proxy({ mode: 'learn', allow: ['a.example:443'] });
    for (const authority of [
      'b.example:443',
      'B.example.:443',
      'c.example:8080',
      '169.254.169.254:80',
      'localhost:80',
    ]) {
      expect(refusalIn(await found.ask(connect(authority)))).toBe('403 not_allowed');
    }
    expect(found.lookups).toEqual([]);
    expect(found.egress.sums).toEqual({
      ...{ allowed: 0, refused: 5, sent: 0, received: 0 },
      ...{ reached: [], wanted: ['b.example:443', 'c.example:8080'] },
    });
  });

  test('is what was reached in open mode', async () => {
    const target = await upstream(OK);
    const names = { 'a.example': [['127.0.0.1']] };
    const found = await proxy({ mode: 'open', allow: [`127.0.0.1:${target.port}`], names });
    expect(await found.ask(get(`a.example:${target.port}`))).toContain('200 OK');
    expect(found.egress.sums).toMatchObject({ allowed: 1, reached: [`a.example:${target.port}`], received: 2 });
  });
});
