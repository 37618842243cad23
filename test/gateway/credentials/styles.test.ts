import { afterEach, describe, expect, test } from 'vitest';
import { resolveModel } from '../../../src/gateway/model-source.ts';
import { type FakeUpstream, fakeUpstream, sse, type UpstreamRequest } from '../../support/fake-upstream.ts';
import { ANTHROPIC, COMPLETIONS, GOOGLE, RESPONSES, type UpstreamStyle } from '../../support/fake-upstream-styles.ts';
import { piFolder } from '../../support/pi-folder.ts';
import { askAsPi, type Harness, startGateway, systemMessage, userMessage } from '../harness.ts';

const KEY = 'sk-real-0123456789-canary';
const CLAUDE = 'sk-ant-oat-0123456789-canary';
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const CHATGPT = `${part({ alg: 'none' })}.${part({ 'https://api.openai.com/auth': { chatgpt_account_id: 'acc-1' } })}.c2lnbmF0dXJl`;
const COPILOT = 'tid=canary-0123456789;exp=9999999999;proxy-ep=proxy.business.githubcopilot.com;';
const login = (access: string) => ({ type: 'oauth', access, refresh: 'refresh-token-of-the-login', expires: 9e12 });

interface Case {
  readonly name: string;
  readonly style: UpstreamStyle;
  readonly spec?: string;
  readonly env?: Record<string, string>;
  readonly auth?: object;
  /** Text of models.json for a server at this origin; without one the address is given with --base-url. */
  readonly models?: (origin: string) => object | string;
  readonly secret: string;
  /** The header that carries it, and its value. */
  readonly header: readonly [string, string];
  readonly path?: RegExp;
}

const server = (origin: string, more: object) => ({
  providers: {
    mine: { baseUrl: `${origin}/a/prefix/v1`, api: 'openai-completions', models: [{ id: 'm/1' }], ...more },
  },
});
const MINE = { style: COMPLETIONS, spec: 'mine/m/1', path: /^\/a\/prefix\/v1\/chat\/completions$/ } as const;

const CASES: readonly Case[] = [
  {
    name: 'a key that pi stores',
    style: ANTHROPIC,
    auth: { anthropic: { type: 'api_key', key: KEY } },
    env: { ANTHROPIC_API_KEY: 'sk-of-the-environment' },
    secret: KEY,
    header: ['x-api-key', KEY],
  },
  {
    name: 'a variable that pi stores the name of',
    style: RESPONSES,
    auth: { openai: { type: 'api_key', key: '$MY_OPENAI' } },
    env: { MY_OPENAI: KEY, OPENAI_API_KEY: 'sk-of-the-environment' },
    secret: KEY,
    header: ['authorization', `Bearer ${KEY}`],
  },
  {
    name: 'a stored variable that is not set, so that the provider’s own counts',
    style: RESPONSES,
    auth: { openai: { type: 'api_key', key: '$MY_OPENAI' } },
    env: { OPENAI_API_KEY: KEY },
    secret: KEY,
    header: ['authorization', `Bearer ${KEY}`],
  },
  {
    name: 'a command that pi stores',
    style: GOOGLE,
    auth: { google: { type: 'api_key', key: `!printf %s%s ${KEY.slice(0, 10)} ${KEY.slice(10)}` } },
    secret: KEY,
    header: ['x-goog-api-key', KEY],
  },
  {
    name: 'an auth token in the environment',
    style: ANTHROPIC,
    env: { ANTHROPIC_AUTH_TOKEN: KEY },
    secret: KEY,
    header: ['authorization', `Bearer ${KEY}`],
  },
  {
    name: 'a login at Claude',
    style: ANTHROPIC,
    auth: { anthropic: login(CLAUDE) },
    env: { ANTHROPIC_API_KEY: 'sk-of-the-environment' },
    secret: CLAUDE,
    header: ['authorization', `Bearer ${CLAUDE}`],
  },
  {
    name: 'a login at ChatGPT',
    style: RESPONSES,
    auth: { openai: login(CHATGPT) },
    secret: CHATGPT,
    header: ['authorization', `Bearer ${CHATGPT}`],
  },
  {
    name: 'a login at ChatGPT for Codex',
    style: RESPONSES,
    spec: 'openai-codex/gpt-6-sol',
    auth: { 'openai-codex': login(CHATGPT) },
    secret: CHATGPT,
    header: ['authorization', `Bearer ${CHATGPT}`],
    path: /\/codex\/responses$/,
  },
  {
    name: 'a login at GitHub Copilot',
    style: ANTHROPIC,
    spec: 'github-copilot/claude-haiku-4.5',
    auth: { 'github-copilot': login(COPILOT) },
    secret: COPILOT,
    header: ['authorization', `Bearer ${COPILOT}`],
  },
  {
    name: 'a server of one’s own with a key in models.json',
    ...MINE,
    models: (origin) => server(origin, { apiKey: '$MINE' }),
    env: { MINE: KEY },
    secret: KEY,
    header: ['authorization', `Bearer ${KEY}`],
  },
  {
    name: 'a server of one’s own with a stored key, which counts for more than the one in models.json',
    ...MINE,
    models: (origin) => server(origin, { apiKey: 'sk-of-models-json' }),
    auth: { mine: { type: 'api_key', key: KEY } },
    secret: KEY,
    header: ['authorization', `Bearer ${KEY}`],
  },
  {
    name: 'a server of one’s own that wants its key in a header of its own',
    ...MINE,
    models: (origin) => server(origin, { headers: { 'X-Gateway-Key': `!echo ${KEY}`, 'X-Title': 'team' } }),
    secret: KEY,
    header: ['x-gateway-key', KEY],
  },
  {
    name: 'a model of one’s own that wants its key in a header of its own',
    ...MINE,
    models: (origin) => server(origin, { models: [{ id: 'm/1', headers: { 'X-Model-Key': KEY } }] }),
    secret: KEY,
    header: ['x-model-key', KEY],
  },
  {
    name: 'a known provider behind a proxy of the company, with a key for both',
    style: ANTHROPIC,
    models: (origin) =>
      `{ // behind the proxy\n "providers": { "anthropic": { "baseUrl": "${origin}/claude", "authHeader": false, }, }, }`,
    env: { ANTHROPIC_API_KEY: KEY },
    secret: KEY,
    header: ['x-api-key', KEY],
    path: /^\/claude\/v1\/messages/,
  },
];

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function ask({ style, spec = style.spec, env = {}, auth, models }: Case): Promise<{
  upstream: FakeUpstream;
  harness: Harness;
  errorMessage: string | undefined;
}> {
  const upstream = await fakeUpstream(sse(...style.say({ text: 'Hello.' })));
  const pi = piFolder(auth, models?.(upstream.origin));
  const source = await resolveModel(spec, {
    env: (name) => env[name],
    environment: () => ({ PATH: process.env['PATH'] }),
    cwd: '/',
    piFolder: pi.folder,
    ...(models === undefined ? { baseUrl: upstream.origin + style.base } : {}),
  });
  const harness = await startGateway(source);
  open.push(upstream, { [Symbol.asyncDispose]: () => harness.close() });
  const answer = await askAsPi(harness, source.model.id, [systemMessage(), userMessage('hi')]);
  return { upstream, harness, errorMessage: answer.errorMessage };
}

function headersOf({ rawHeaders }: UpstreamRequest): Record<string, string> {
  return Object.fromEntries(
    rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : [])),
  );
}

describe.each(CASES)('$name', (one) => {
  test('goes out exactly once, in its place, and nothing else that is a key does (D31) (D32) (CR5)', async () => {
    const { upstream, harness, errorMessage } = await ask(one);
    expect(errorMessage).toBeUndefined();
    expect(upstream.requests).toHaveLength(1);
    const request = upstream.requests[0] as UpstreamRequest;
    expect(headersOf(request)).toMatchObject({ [one.header[0]]: one.header[1] });
    expect(request.url).toMatch(one.path ?? one.style.path);
    const everything = JSON.stringify(request);
    expect(everything.split(one.secret)).toHaveLength(2);
    expect(everything).not.toMatch(/sk-of-|refresh-token|placeholder/);
    expect(JSON.stringify([harness.ledger, harness.records, harness.gateway.state])).not.toContain(one.secret);
  });
});

test('a secret of a login that a server sends back is taken out, that which renews it as well (CR5)', async () => {
  const upstream = await fakeUpstream(sse(...ANTHROPIC.say({ text: `${CLAUDE} and refresh-token-of-the-login` })));
  const pi = piFolder({ anthropic: login(CLAUDE) });
  const source = await resolveModel(ANTHROPIC.spec, {
    env: () => undefined,
    cwd: '/',
    piFolder: pi.folder,
    baseUrl: upstream.origin,
  });
  const harness = await startGateway(source);
  open.push(upstream, { [Symbol.asyncDispose]: () => harness.close() });
  const answer = await askAsPi(harness, ANTHROPIC.id, [systemMessage(), userMessage('hi')]);
  expect(answer.content).toMatchObject([{ text: '[secret removed] and [secret removed]' }]);
});
