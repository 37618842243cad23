import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { resolveModel } from '../../../src/gateway/model-source.ts';
import { outsideRepository } from '../../../src/run/pi-files.ts';
import { tempFolder } from '../../support/cli.ts';
import { type PiFolder, piFolder } from '../../support/pi-folder.ts';

const SECRET = 'sk-secret-0123456789';

async function refused(
  spec: string,
  pi: PiFolder,
  env: Record<string, string> = {},
  check?: (p: string) => Promise<void>,
) {
  const failure = await resolveModel(spec, {
    env: (name) => env[name],
    cwd: '/',
    piFolder: pi.folder,
    ...(check === undefined ? {} : { checkFile: check }),
  }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'model', exitCode: 2 });
  expect(inspect(failure, { depth: 0 })).not.toContain(SECRET);
  return failure as Error & { hint?: string };
}

test('nothing at all is refused with the ways to a credential (D32)', async () => {
  const { message, hint } = await refused('anthropic/claude-haiku-4-5', piFolder({}));
  expect(message).toBe('There are no credentials for provider "anthropic".');
  expect(hint).toMatch(/^Set one of .*ANTHROPIC_API_KEY.* or log in with pi: start pi and enter \/login\./);
});

test('a provider that has logins alone says so', async () => {
  const { hint } = await refused('openai-codex/gpt-6-sol', piFolder({}));
  expect(hint).toBe('Log in with pi: start pi and enter /login. It stays on the host.');
});

test('a stored login that the provider does not take is named', async () => {
  const login = { type: 'oauth', access: SECRET, refresh: SECRET, expires: 9e12 };
  const { message } = await refused('google/gemini-3.1-pro-preview', piFolder({ google: login }));
  expect(message).toContain('What pi has stored for it is a login that it does not take.');
});

test.each([
  ['no JSON', `{\n "openai": {"type": "api_key", "key": "${SECRET}" \n`, /line 3, column 1/],
  ['comments', `{ // mine\n "openai": {"type": "api_key", "key": "${SECRET}"} }`, /has comments or a comma too many/],
  ['a list', `["${SECRET}"]`, /it is not an object/],
  ['an entry of another kind', `{"openai": {"type": "key", "key": "${SECRET}"}}`, /entry "openai"/],
  ['half a login', `{"openai": {"type": "oauth", "access": "${SECRET}"}}`, /entry "openai"/],
])(
  'stored logins that are %s are an error that names the file and repeats nothing of it',
  async (_name, auth, words) => {
    const pi = piFolder(auth);
    const { message } = await refused('openai/gpt-5', pi, { OPENAI_API_KEY: SECRET });
    expect(message).toMatch(words);
    expect(message).toContain(pi.auth);
  },
);

test('an entry of another provider that is in disorder does not matter', async () => {
  const pi = piFolder({ google: 7, openai: { type: 'api_key', key: SECRET } });
  const source = await resolveModel('openai/gpt-5', { env: () => undefined, cwd: '/', piFolder: pi.folder });
  expect(source.model.provider).toBe('openai');
});

test.each([
  ['that fails', `!echo ${SECRET}; exit 4`, 'its command left with exit code 4'],
  ['that prints nothing', `!echo ${SECRET} >&2`, 'its command printed nothing'],
])('a command %s is refused before anything starts, and what it printed is not repeated', async (_name, key, words) => {
  const { message } = await refused('openai/gpt-5', piFolder({ openai: { type: 'api_key', key } }));
  expect(message).toContain(words);
});

const custom = (provider: object) => JSON.stringify({ providers: { mine: provider } }, null, 2);
const OK = { baseUrl: 'http://10.0.0.1/v1', api: 'openai-completions', models: [{ id: 'm' }] };

test.each([
  ['broken off', '{\n  "providers": {\n', /models\.json cannot be used: line 3, column 1: /],
  ['a comment of another kind', '{ /* x */ "providers": {} }', /line 1, column 3: comments are written behind \/\//],
  ['another top', '{ "provider": {} }', /line 1 at \/providers: "providers" is missing/],
  ['a wrong type', custom({ ...OK, apiKey: 7 }), /line 11 at \/providers\/mine\/apiKey: expected string/],
  [
    'a wrong word',
    custom({ ...OK, models: [{ id: 'm', input: [SECRET] }] }),
    /at \/providers\/mine\/models\/0\/input\/0: expected one of text, image/,
  ],
])('models.json with %s is an error with its line, whichever provider is asked for', async (_name, models, words) => {
  for (const spec of ['mine/m', 'anthropic/claude-haiku-4-5']) {
    const { message } = await refused(spec, piFolder({}, models), { ANTHROPIC_API_KEY: SECRET });
    expect(message).toMatch(words);
  }
});

test.each([
  ['no key, and not of this machine', OK, /no credentials for provider "mine"/],
  ['a variable that is not set', { ...OK, apiKey: '$UNSET_KEY' }, /the variable UNSET_KEY is not set/],
  ['no address', { ...OK, baseUrl: undefined }, /"baseUrl" is missing .*models\.json, line 3/],
  ['no protocol', { ...OK, api: undefined }, /the model "m" has no "api"/],
  ['a protocol that is none', { ...OK, api: 'openai-completion' }, /no wire protocol "openai-completion"/],
  [
    'a secret in its address',
    { ...OK, baseUrl: `http://u:${SECRET}@10.0.0.1/v1`, apiKey: 'k' },
    /must not hold a user name/,
  ],
  ['a header that cannot be had', { ...OK, apiKey: 'k', headers: { 'x-key': '!exit 9' } }, /left with exit code 9/],
  ['another model', { ...OK, apiKey: 'k', models: [{ id: 'n' }] }, /has no model "m"/],
])('a provider of one’s own with %s is refused with the reason', async (_name, provider, words) => {
  const { message } = await refused('mine/m', piFolder({}, custom(provider)));
  expect(message).toMatch(words);
});

test.each(['http://localhost:11434/v1', 'http://127.0.0.1:8000/v1', 'http://[::1]:8080/v1'])(
  'a server of this machine at %s needs no key',
  async (baseUrl) => {
    const pi = piFolder(undefined, custom({ ...OK, baseUrl }));
    const source = await resolveModel('mine/m', { env: () => undefined, cwd: '/', piFolder: pi.folder });
    expect(source.model).toMatchObject({
      provider: 'mine',
      id: 'm',
      api: 'openai-completions',
      contextWindow: 128_000,
    });
  },
);

test('what is said about a known model is upon what is known, and thinking levels work behind a colon', async () => {
  const models = { providers: { anthropic: { modelOverrides: { 'claude-haiku-4-5': { maxTokens: 1000 } } } } };
  const pi = piFolder(undefined, models);
  const env = (name: string) => (name === 'ANTHROPIC_API_KEY' ? SECRET : undefined);
  const source = await resolveModel('anthropic/claude-haiku-4-5:high', { env, cwd: '/', piFolder: pi.folder });
  expect(source.model).toMatchObject({ maxTokens: 1000, reasoning: true, api: 'anthropic-messages' });
});

test('files of pi that lie in the repository, or are reached through it, are refused before anything in them runs', async () => {
  const repository = tempFolder();
  const ran = path.join(repository, 'ran');
  const inside = piFolder({ openai: { type: 'api_key', key: `!touch ${ran}; echo ${SECRET}` } });
  const check = outsideRepository(inside.folder, tempFolder());
  const { message } = await refused('openai/gpt-5', inside, {}, check);
  expect(message).toContain(`lies in the repository ${inside.folder}`);
  const link = tempFolder();
  symlinkSync(inside.auth, path.join(link, 'auth.json'));
  expect((await refused('openai/gpt-5', { ...inside, folder: link }, {}, check)).message).toContain(
    'reached through it',
  );
});

test('an address in the place of a model says how to name one', async () => {
  const { hint } = await refused('http://localhost:11434', piFolder());
  expect(hint).toContain('openai-completions/MODEL --base-url');
});
