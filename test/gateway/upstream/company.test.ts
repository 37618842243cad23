import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { afterEach, expect, test } from 'vitest';
import { resolveModel } from '../../../src/gateway/model-source.ts';
import { tempFolder } from '../../support/cli.ts';
import { type CompanyProxy, type CompanyProxyOptions, companyProxy } from '../../support/company-proxy.ts';
import { sse } from '../../support/fake-upstream.ts';
import { ANTHROPIC } from '../../support/fake-upstream-styles.ts';
import { piFolder } from '../../support/pi-folder.ts';
import { askAsPi, startGateway, systemMessage, userMessage } from '../harness.ts';

const KEY = 'sk-real-0123456789-canary';
const API = 'api.anthropic.com';
const TOKENS = 'platform.claude.com';
const NEW = { access_token: 'sk-ant-oat-new-0123456789', refresh_token: 'refresh-new-0123456789', expires_in: 3600 };

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function company(options: Partial<CompanyProxyOptions> = {}): Promise<CompanyProxy> {
  const made = await companyProxy({
    names: [API, TOKENS],
    answer: (host) =>
      host === API
        ? sse(...ANTHROPIC.say({ text: 'Hello.' }))
        : (res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(NEW)),
    ...options,
  });
  open.push(made);
  return made;
}

function trusting({ certificate }: CompanyProxy): string {
  const file = path.join(tempFolder(), 'company.pem');
  writeFileSync(file, certificate.cert);
  return file;
}

async function ask(env: Record<string, string>, auth?: object) {
  const pi = piFolder(auth);
  const source = await resolveModel(ANTHROPIC.spec, { env: (name) => env[name], cwd: '/', piFolder: pi.folder });
  const harness = await startGateway(source);
  open.push({ [Symbol.asyncDispose]: () => harness.close() });
  const call = () => askAsPi(harness, ANTHROPIC.id, [systemMessage(), userMessage('hi')]);
  return { pi, source, call, answer: await call() };
}

test.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])(
  'a provider is reached through the proxy of a company, under the certificates of %s, over one connection',
  async (variable) => {
    const proxy = await company();
    const { answer, call } = await ask({
      HTTPS_PROXY: proxy.url.replace('//', '//user:p%40ss@'),
      [variable]: trusting(proxy),
      ANTHROPIC_API_KEY: KEY,
    });
    expect(answer.errorMessage).toBeUndefined();
    expect((await call()).errorMessage).toBeUndefined();
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.opened).toEqual([{ target: `${API}:443`, authorization }]);
    expect(proxy.requests).toHaveLength(2);
    for (const request of proxy.requests) {
      expect(request).toMatchObject({ host: API, method: 'POST' });
      // The proxy's own password is for the proxy.
      expect(JSON.stringify(request)).not.toMatch(/proxy-authorization|p@ss/i);
      expect(JSON.stringify(request).split(KEY)).toHaveLength(2);
    }
  },
);

test('a bare % in the password of a proxy stands for itself', async () => {
  const proxy = await company();
  const { answer } = await ask({
    HTTPS_PROXY: proxy.url.replace('//', '//user:100%@'),
    SSL_CERT_FILE: trusting(proxy),
    ANTHROPIC_API_KEY: KEY,
  });
  expect(answer.errorMessage).toBeUndefined();
  const authorization = `Basic ${Buffer.from('user:100%').toString('base64')}`;
  expect(proxy.opened).toEqual([{ target: `${API}:443`, authorization }]);
});

test('a login is renewed through the proxy as well, under its own address', async () => {
  const proxy = await company();
  const login = { type: 'oauth', access: 'sk-ant-oat-old-0123456789', refresh: 'refresh-old-0123456789', expires: 1 };
  const { answer, pi } = await ask({ HTTPS_PROXY: proxy.url, SSL_CERT_FILE: trusting(proxy) }, { anthropic: login });
  expect(answer.errorMessage).toBeUndefined();
  expect(proxy.opened.map(({ target }) => target)).toEqual([`${TOKENS}:443`, `${API}:443`]);
  const [tokens, api] = proxy.requests.map((request) => JSON.stringify(request));
  expect(tokens).toContain(login.refresh);
  expect(api?.split(NEW.access_token)).toHaveLength(2);
  expect(api).not.toMatch(/refresh-|-old-/);
  expect(pi.entries()).toMatchObject({ anthropic: { access: NEW.access_token, refresh: NEW.refresh_token } });
});

test('a server whose certificate nobody vouches for gets no key', async () => {
  const proxy = await company();
  const { answer } = await ask({ HTTPS_PROXY: proxy.url, ANTHROPIC_API_KEY: KEY });
  expect(answer.errorMessage).toMatch(/^Network error between host and provider \([A-Z_]*SELF_SIGNED[A-Z_]*\)\.$/);
  expect(proxy.requests).toEqual([]);
});

test('a certificate for another name gets no key either', async () => {
  const proxy = await company({ names: ['other.example'] });
  const { answer } = await ask({ HTTPS_PROXY: proxy.url, SSL_CERT_FILE: trusting(proxy), ANTHROPIC_API_KEY: KEY });
  expect(answer.errorMessage).toBe('Network error between host and provider (ERR_TLS_CERT_ALTNAME_INVALID).');
  expect(proxy.requests).toEqual([]);
});

test.each([403, 407, 502])('a proxy that answers %i is told apart from the provider', async (status) => {
  const proxy = await company({ refuse: status });
  const { answer } = await ask({ HTTPS_PROXY: proxy.url, ANTHROPIC_API_KEY: KEY });
  expect(answer.errorMessage).toBe(`Network error between host and provider (PROXY_ANSWERED_${status}).`);
  expect(isRetryableAssistantError(answer)).toBe(true);
});

test('a proxy that is not there is a network error', async () => {
  const proxy = await company();
  await proxy[Symbol.asyncDispose]();
  open.pop();
  const { answer } = await ask({ HTTPS_PROXY: proxy.url, ANTHROPIC_API_KEY: KEY });
  expect(answer.errorMessage).toBe('Network error between host and provider (ECONNREFUSED).');
});

test('certificates that cannot be read are refused before anything starts', async () => {
  const env = (name: string) => ({ SSL_CERT_FILE: '/nonexistent/company.pem', ANTHROPIC_API_KEY: KEY })[name];
  await expect(resolveModel(ANTHROPIC.spec, { env, cwd: '/' })).rejects.toThrow(/SSL_CERT_FILE names cannot be read/);
});
