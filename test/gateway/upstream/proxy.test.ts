import { expect, test } from 'vitest';
import { proxyFor } from '../../../src/gateway/upstream/proxy.ts';

const env =
  (values: Record<string, string>) =>
  (name: string): string | undefined =>
    values[name];
const HTTPS = new URL('https://api.example.com/v1');

test.each([
  [{ HTTPS_PROXY: 'http://p:3128' }, 'http://p:3128/'],
  [{ https_proxy: 'http://p:3128', HTTPS_PROXY: 'http://other' }, 'http://p:3128/'],
  [{ ALL_PROXY: 'https://u:p@p:1' }, 'https://u:p@p:1/'],
  [{ https_proxy: 'p:3128' }, 'http://p:3128/'],
  [{ HTTP_PROXY: 'http://p:3128' }, undefined],
  [{}, undefined],
])('%j for https is %s', (values, expected) => {
  expect(proxyFor(HTTPS, env(values as Record<string, string>))?.href).toBe(expected);
});

test('http has its own variable', () => {
  expect(proxyFor(new URL('http://api.example.com'), env({ HTTP_PROXY: 'http://p:3128' }))?.port).toBe('3128');
});

test.each([
  ['*', true],
  ['api.example.com', true],
  ['example.com', true],
  ['.example.com', true],
  ['*.example.com', true],
  ['API.EXAMPLE.COM', true],
  ['other.com, example.com', true],
  ['other.com example.com:443', true],
  ['example.com:8443', false],
  ['ample.com', false],
  ['example.com.evil.test', false],
  ['', false],
])('no_proxy %j exempts: %s', (noProxy, exempt) => {
  const found = proxyFor(HTTPS, env({ HTTPS_PROXY: 'http://p:3128', NO_PROXY: noProxy }));
  expect(found === undefined).toBe(exempt);
});

test.each(['http://localhost:11434', 'http://127.0.0.1:8000', 'http://[::1]:1', 'http://ollama.localhost'])(
  '%s is this machine, which a proxy would take for itself',
  (target) => {
    expect(proxyFor(new URL(target), env({ HTTP_PROXY: 'http://p:3128' }))).toBeUndefined();
  },
);

test('addresses of IP version 6 are exempted like others', () => {
  const values = { HTTPS_PROXY: 'http://p:3128', NO_PROXY: '2001:db8::1,[2001:db8::2]:443' };
  expect(proxyFor(new URL('https://[2001:db8::1]/'), env(values))).toBeUndefined();
  expect(proxyFor(new URL('https://[2001:db8::2]/'), env(values))).toBeUndefined();
  expect(proxyFor(new URL('https://[2001:db8::3]/'), env(values))).toBeDefined();
});

test.each(['socks5://u:hunter2-secret@p:1080', 'http://u:hunter2-secret@:bad:'])(
  'a proxy that cannot be used is refused without repeating it',
  (proxy) => {
    expect(() => proxyFor(HTTPS, env({ HTTPS_PROXY: proxy }))).toThrow(
      /^The proxy for api\.example\.com .* cannot be used/,
    );
    expect(() => proxyFor(HTTPS, env({ HTTPS_PROXY: proxy }))).not.toThrow(/hunter2/);
  },
);
