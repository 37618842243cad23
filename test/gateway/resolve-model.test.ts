import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { expect, test } from 'vitest';
import { resolveModel } from '../../src/gateway/model-source.ts';

const nothing = { env: () => undefined, cwd: '/' };

test.each([
  ['an unknown provider', 'antropic/claude-opus-4-7', /no provider "antropic"/, /Did you mean "anthropic"\?/],
  ['an unknown model', 'anthropic/claude-opus-4-77', /has no model "claude-opus-4-77"/, /anthropic\/claude-opus-4-7/],
  ['a model without provider', 'claude-opus-4-7', /the provider is missing/, /provider\/model/],
  ['a module that is no provider', 'all/x', /no provider "all"/, /Known providers/],
  ['the test provider of the library', 'faux/faux-1', /no provider "faux"/, /Known providers/],
  ['a path', '../all/x', /no provider "\.\."/, /Known providers/],
  ['no credentials', 'openai/gpt-5', /no credentials for provider "openai"/, /OPENAI_API_KEY/],
  [
    'no credentials of several kinds',
    'anthropic/claude-haiku-4-5',
    /no credentials/,
    /ANTHROPIC_AUTH_TOKEN.*ANTHROPIC_API_KEY/,
  ],
  ['a wire protocol without an address', 'openai-completions/local', /address of a server is needed/, /--base-url/],
])('%s is refused before anything starts, and the hint helps', async (_name, spec, message, hint) => {
  const failed = await resolveModel(spec, nothing).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'model', exitCode: 2 });
  expect((failed as Error).message).toMatch(message);
  expect((failed as { hint: string }).hint).toMatch(hint);
});

test.each(['nonsense', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'http://user:pass@127.0.0.1/'])(
  'the address %s is refused',
  async (baseUrl) => {
    await expect(resolveModel('openai/gpt-5', { ...nothing, env: () => 'k', baseUrl })).rejects.toMatchObject({
      code: 'model',
    });
  },
);

test('an unknown thinking level is refused with the nearest known one', async () => {
  await expect(resolveModel('openai/gpt-5', { ...nothing, thinking: 'hihg' })).rejects.toMatchObject({
    hint: 'Did you mean "high"?',
  });
});

test('an auth token in place of a key is enough (D32)', async () => {
  const env = (name: string) => (name === 'ANTHROPIC_AUTH_TOKEN' ? 'token-1234567890' : undefined);
  const source = await resolveModel('anthropic/claude-haiku-4-5', { env, cwd: '/' });
  expect(source.model).toMatchObject({ provider: 'anthropic', id: 'claude-haiku-4-5', api: 'anthropic-messages' });
});

test('a compatible server needs no known model and no key', async () => {
  const source = await resolveModel('openai-completions/my/model', { ...nothing, baseUrl: 'http://127.0.0.1:8080/v1' });
  expect(source.model).toMatchObject({ provider: 'openai-completions', id: 'my/model', api: 'openai-completions' });
});

test('printing a source by accident shows no key', async () => {
  const env = (name: string) => (name === 'OPENAI_API_KEY' ? 'sk-canary-0123456789' : undefined);
  const source = await resolveModel('openai/gpt-5', { env, cwd: '/' });
  expect(JSON.stringify(source)).not.toContain('canary');
  expect(inspect(source, { depth: 8, showHidden: true })).not.toContain('canary');
});

test('a scripted model loads no provider and no SDK', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { resolveModel } = await import('./src/gateway/model-source.ts');
    await import('./src/gateway/gateway.ts');
    const before = loaded.length;
    await resolveModel('scripted:examples/scenarios/tour.yaml', { env: () => undefined, cwd: '.' });
    console.log(JSON.stringify({ early: loaded.slice(0, before), all: loaded }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const { early, all } = JSON.parse(stdout) as { early: string[]; all: string[] };
  expect(early.filter((url) => url.includes('pi-ai'))).toEqual([]);
  expect(all.filter((url) => /pi-ai\/dist\/providers|@anthropic-ai|openai|@google/.test(url))).toEqual([]);
});
