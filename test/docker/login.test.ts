import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Canaries } from '../support/canary.ts';
import { type CompanyProxy, companyProxy } from '../support/company-proxy.ts';
import { sse } from '../support/fake-upstream.ts';
import { ANTHROPIC } from '../support/fake-upstream-styles.ts';
import { type Ended, Session } from '../support/session.ts';

const session = new Session();
const canaries = new Canaries();
/** What is sent must look like a token of Claude; what renews it looks like nothing, so that only who knows it can find it. */
const login = (name: string) => ({
  access: `sk-ant-oat-${canaries.secret(name)}`,
  refresh: canaries.secret(`${name}-refresh`),
});
const OLD = login('old');
const NEW = login('new');
const API = 'api.anthropic.com';
const TOKENS = 'platform.claude.com';
const PASSWORD = canaries.secret('proxy');

const turns = [
  { text: 'I look around.', tools: [{ id: 'a', name: 'bash', arguments: { command: 'env; cat /proc/*/environ' } }] },
  // A provider that sends everything back.
  { text: `You are ${NEW.access}, ${NEW.refresh}, ${OLD.refresh}.` },
];

let proxy: CompanyProxy;
let env: Record<string, string>;
let args: string[];
const pi = path.join(session.folder, 'pi');
const auth = path.join(pi, 'auth.json');
const stored = JSON.stringify({
  openai: { type: 'api_key', key: '!exit 1' },
  anthropic: { type: 'oauth', ...OLD, expires: 1 },
});

beforeAll(async () => {
  const answers = turns.map((turn) => sse(...ANTHROPIC.say(turn)));
  proxy = await companyProxy({
    names: [API, TOKENS],
    answer: (host) => {
      const tokens = JSON.stringify({ access_token: NEW.access, refresh_token: NEW.refresh, expires_in: 3600 });
      const last = (res: { end: (text: string) => unknown }) => void res.end(tokens);
      return host === API ? (answers.shift() ?? last) : last;
    },
  });
  mkdirSync(pi);
  writeFileSync(auth, stored, { mode: 0o600 });
  const certificates = path.join(session.folder, 'company.pem');
  writeFileSync(certificates, proxy.certificate.cert);
  env = {
    PI_CODING_AGENT_DIR: pi,
    HTTPS_PROXY: proxy.url.replace('//', `//me:${PASSWORD}@`),
    SSL_CERT_FILE: certificates,
  };
  args = ['run', session.repository('repo', { 'README.md': 'hello\n' }), 'go', '--model', ANTHROPIC.spec];
});

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
});

function stateFiles(): string[] {
  return readdirSync(path.join(session.folder, 'state'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

const everythingOf = ({ stdout, stderr }: Ended): Buffer => Buffer.concat([stdout, stderr]);

test('a dry run contacts nobody and leaves the login alone; no secret is in the plan', async () => {
  const dry = await session.cli([...args, '--dry-run'], { env });
  expect(dry.code).toBe(0);
  expect(dry.stdout.toString()).toContain('claude-haiku-4-5');
  expect(canaries.find(everythingOf(dry))).toEqual([]);
  expect(proxy.opened).toEqual([]);
  expect(readFileSync(auth, 'utf8')).toBe(stored);
});

test('a login that has expired serves a run, renewed and kept, and nothing of it is seen anywhere (CR1) (CR4) (D32) (D33)', async () => {
  const ended = await session.cli([...args, '--json'], { env });
  expect(ended.code).toBe(0);
  expect(proxy.opened.map(({ target }) => target)).toEqual([`${TOKENS}:443`, `${API}:443`]);
  const calls = proxy.requests.filter(({ host }) => host === API);
  expect(calls).toHaveLength(2);
  for (const call of calls) expect(canaries.find(JSON.stringify(call).replace(NEW.access, ''))).toEqual([]);
  expect(JSON.parse(readFileSync(auth, 'utf8'))).toMatchObject({ anthropic: NEW, openai: { key: '!exit 1' } });
  const shown = await session.cli(['show', 'last'], { env });
  const logs = await session.cli(['logs', 'last'], { env });
  for (const told of [ended, shown, logs]) expect(canaries.find(everythingOf(told))).toEqual([]);
  const files = stateFiles();
  expect(files.some((file) => file.endsWith('events.jsonl'))).toBe(true);
  for (const file of files) expect([file, canaries.find(readFileSync(file))]).toEqual([file, []]);
});
