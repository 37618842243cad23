import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { strictParse } from '../../src/lib/strict-parse.ts';
import { ModelsReport } from '../../src/protocol/models-report.ts';
import { offline } from '../support/offline.ts';
import { piFolder } from '../support/pi-folder.ts';

const SECRETS = [
  'sk-stored-0123456789',
  'access-0123456789',
  'refresh-0123456789',
  'sk-of-env-0123456789',
  'sk-in-models-0123',
];

/** The environment of whoever runs the tests has no say. */
function cleared(): Record<string, undefined> {
  const names = Object.keys(process.env).filter((name) => /KEY|TOKEN|^(AWS|GOOGLE|AZURE|ANTHROPIC)_/.test(name));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function withPi(auth?: object, models?: object | string) {
  const pi = piFolder(auth, models);
  const { run, home } = offline();
  const env = { ...cleared(), PI_CODING_AGENT_DIR: pi.folder };
  return {
    pi,
    home,
    run: (args: readonly string[], more: Record<string, string> = {}) => run(args, { env: { ...env, ...more } }),
  };
}

test('what would work is listed with where each credential comes from; no secret, no command, nobody contacted', async () => {
  const { pi, run } = withPi(
    {
      openai: { type: 'api_key', key: SECRETS[0] },
      anthropic: { type: 'oauth', access: SECRETS[1], refresh: SECRETS[2], expires: 1 },
      mistral: { type: 'api_key', key: '!touch ran; echo x' },
    },
    `{ "providers": {
       "ollama": { "baseUrl": "http://localhost:11434/v1", "api": "openai-completions", "models": [{ "id": "qwen3" }] }, // mine
       "corp": { "baseUrl": "https://127.0.0.1:9/v1", "api": "openai-completions", "apiKey": "${SECRETS[4]}", "models": [{ "id": "m" }] },
       "broken": { "baseUrl": "https://127.0.0.1:9/v1", "apiKey": "k", "models": [{ "id": "m" }] },
    } }`,
  );
  const before = pi.bytes();
  const env = { GROQ_API_KEY: SECRETS[3] ?? '' };
  const { code, stdout, stderr } = await run(['models'], env);
  expect(code).toBe(0);
  const rows = Object.fromEntries(stdout.split('\n').map((line) => [line.split(/\s/)[0], line]));
  expect(rows['ollama']).toMatch(/none needed: a server of this machine +ollama\/qwen3$/);
  expect(rows['corp']).toMatch(/key in .*models\.json +corp\/m$/);
  expect(rows['openai']).toMatch(/key in .*auth\.json +\d+: pi-sandbox models openai$/);
  expect(rows['anthropic']).toMatch(/login in .*auth\.json, to be renewed/);
  expect(rows['mistral']).toMatch(/command in .*auth\.json/);
  expect(rows['groq']).toMatch(/variable GROQ_API_KEY/);
  expect(rows['google']).toBeUndefined();
  expect(stderr).toMatch(/^broken: .*"m" has no "api".*models\.json, line 4/m);
  expect(stderr).toMatch(/^Without a credential: .*\bgoogle\b/m);
  const json = await run(['models', '--json'], env);
  const report = strictParse(ModelsReport, JSON.parse(json.stdout));
  expect(report.ok).toBe(true);
  for (const secret of SECRETS) expect(stdout + stderr + json.stdout + json.stderr).not.toContain(secret);
  expect(existsSync(path.join(pi.folder, 'ran'))).toBe(false);
  expect(pi.bytes()).toEqual(before);
});

test('a provider without a credential says how to get one, and lists its models all the same', async () => {
  const { run } = withPi();
  const { code, stdout, stderr } = await run(['models', 'anthropic']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/no credential\.\nSet one of .*ANTHROPIC_API_KEY.* log in with pi/);
  expect(stdout).toMatch(/^anthropic\/claude-haiku-4-5 +200\.0k/m);
});

test('with no credential at all the three ways to one are said', async () => {
  const { run } = withPi();
  const { code, stdout, stderr } = await run(['models']);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(
    /^No provider has a credential\. Set a variable.*log in with pi.*\ndescribe a server of your own/,
  );
});

test('a provider that does not exist is refused with the nearest one', async () => {
  const { code, stderr } = await withPi().run(['models', 'antropic']);
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean "anthropic"?');
});

test('models.json that is broken stops every run, with file and line', async () => {
  const { run } = withPi({}, '{ "providers": {\n  "mine": { "apiKey": 7 } } }');
  const { code, stderr } = await run(['models']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/models\.json cannot be used: line 2 at \/providers\/mine\/apiKey/);
});

test('nothing is written to the state folder', async () => {
  const { run, home } = withPi({ openai: { type: 'api_key', key: SECRETS[0] } });
  await run(['models']);
  expect(existsSync(path.join(home, 'pi-sandbox'))).toBe(false);
});
