import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { afterEach, expect, test } from 'vitest';
import { type ModelSource, resolveModel } from '../../../src/gateway/model-source.ts';
import { tempFolder } from '../../support/cli.ts';
import { type FakeUpstream, fakeUpstream, sse } from '../../support/fake-upstream.ts';
import { ANTHROPIC } from '../../support/fake-upstream-styles.ts';
import { type PiFolder, piFolder, renewed, type TokenServer, tokenServer } from '../../support/pi-folder.ts';
import { askAsPi, type Harness, startGateway, systemMessage, userMessage } from '../harness.ts';

const OLD = { type: 'oauth', access: 'sk-ant-oat-old-access-token', refresh: 'old-refresh-token-1234', expires: 1 };
const OTHERS = { openai: { type: 'api_key', key: 'sk-other-0123456789' }, later: { type: 'unknown', of: ['pi'] } };
const NEW = { access: 'sk-ant-oat-new-access-token', refresh: 'new-refresh-token-5678' };
const HOUR = 3_600_000;

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function upstreamFor(answers: number): Promise<FakeUpstream> {
  const upstream = await fakeUpstream(
    ...Array.from({ length: answers }, () => sse(...ANTHROPIC.say({ text: 'Hello.' }))),
  );
  open.push(upstream);
  return upstream;
}

function resolved(pi: PiFolder, tokens: TokenServer, upstream?: FakeUpstream): Promise<ModelSource> {
  return resolveModel(ANTHROPIC.spec, {
    env: () => undefined,
    cwd: '/',
    piFolder: pi.folder,
    tokenFetch: tokens.fetch,
    ...(upstream === undefined ? {} : { baseUrl: upstream.origin }),
  });
}

async function harnessFor(source: ModelSource): Promise<Harness> {
  const harness = await startGateway(source);
  open.push({ [Symbol.asyncDispose]: () => harness.close() });
  return harness;
}

const ask = (harness: Harness) => askAsPi(harness, ANTHROPIC.id, [systemMessage(), userMessage('hi')]);

const refusing = () =>
  tokenServer(() =>
    Response.json({ error: 'invalid_grant', detail: `${OLD.refresh} is spent, org-4711` }, { status: 400 }),
  );

test('a login that has expired is renewed once for calls at once, used, and kept; the rest stays as it was (D32)', async () => {
  const pi = piFolder({ ...OTHERS, anthropic: { ...OLD, scope: 'of pi' } });
  const tokens = tokenServer(() => renewed(NEW.access, NEW.refresh));
  const upstream = await upstreamFor(3);
  const harness = await harnessFor(await resolved(pi, tokens, upstream));
  const answers = await Promise.all([ask(harness), ask(harness), ask(harness)]);
  expect(answers.map(({ errorMessage }) => errorMessage)).toEqual([undefined, undefined, undefined]);
  expect(tokens.requests).toHaveLength(1);
  expect(tokens.requests[0]).toMatchObject({ url: expect.stringMatching(/^https:/) });
  expect(tokens.requests[0]?.body).toContain(OLD.refresh);
  for (const request of upstream.requests) {
    expect(JSON.stringify(request).split(NEW.access)).toHaveLength(2);
    expect(JSON.stringify(request)).not.toMatch(/old-|new-refresh|placeholder/);
  }
  const { anthropic, ...rest } = pi.entries();
  expect(rest).toEqual(OTHERS);
  expect(anthropic).toMatchObject({ type: 'oauth', ...NEW });
  expect(anthropic?.['expires']).toBeGreaterThan(Date.now());
  expect(pi.mode()).toBe(0o600);
  expect(readdirSync(pi.folder)).toEqual(['auth.json']);
});

test('two runs at once renew once', async () => {
  const pi = piFolder({ anthropic: OLD });
  const tokens = tokenServer(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return renewed(NEW.access, NEW.refresh);
  });
  const sources = await Promise.all([resolved(pi, tokens), resolved(pi, tokens)]);
  await Promise.all(sources.map((source) => source.renew?.()));
  expect(tokens.requests).toHaveLength(1);
  expect(pi.entries()).toMatchObject({ anthropic: NEW });
  for (const { scrubber } of sources) expect(scrubber.secrets()).toContain(NEW.access);
});

test('pi renews meanwhile: its lock is waited for, and what it wrote is used', async () => {
  const pi = piFolder({ anthropic: OLD });
  const tokens = refusing();
  const upstream = await upstreamFor(1);
  const harness = await harnessFor(await resolved(pi, tokens, upstream));
  mkdirSync(pi.lock);
  const answering = ask(harness);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(upstream.requests).toEqual([]);
  writeFileSync(pi.auth, JSON.stringify({ anthropic: { ...OLD, ...NEW, expires: Date.now() + HOUR } }));
  rmdirSync(pi.lock);
  expect((await answering).errorMessage).toBeUndefined();
  expect(tokens.requests).toEqual([]);
  expect(JSON.stringify(upstream.requests)).toContain(NEW.access);
});

test('a file that pi is in the middle of writing is read again when it is whole', async () => {
  const whole = JSON.stringify({ anthropic: { ...OLD, expires: Date.now() + HOUR } });
  const pi = piFolder(whole.slice(0, 40));
  mkdirSync(pi.lock);
  const resolving = resolved(pi, refusing());
  setTimeout(() => {
    writeFileSync(pi.auth, whole);
    rmdirSync(pi.lock);
  }, 60);
  expect((await resolving).model.provider).toBe('anthropic');
});

test('a refusal leaves the stored login as it was, byte for byte, and says so without quoting it', async () => {
  const text = `{ "anthropic":${JSON.stringify(OLD)},\n\n"x":1 }\n`;
  const pi = piFolder(text);
  const source = await resolved(pi, refusing());
  const failure = await source.renew?.().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'model', exitCode: 2, hint: expect.stringContaining('/login') });
  expect((failure as Error).message).toBe(
    `pi's login for "anthropic" has to be renewed, and that failed: the provider refused (HTTP 400).`,
  );
  expect(pi.bytes().toString()).toBe(text);
  expect(readdirSync(pi.folder)).toEqual(['auth.json']);
});

test('a login refused in the middle of a run ends in our words, which pi does not try again', async () => {
  const pi = piFolder({ anthropic: OLD });
  const before = pi.bytes();
  const harness = await harnessFor(await resolved(pi, refusing()));
  const answer = await ask(harness);
  expect(answer.errorMessage).toBe('The provider did not renew the login. Log in again with pi on the host.');
  expect(isRetryableAssistantError(answer)).toBe(false);
  expect(harness.gateway.state.failure).toMatchObject({ kind: 'model' });
  expect(JSON.stringify([harness.ledger, harness.records])).not.toMatch(/4711|old-|invalid_grant/);
  expect(pi.bytes()).toEqual(before);
});

test.each([
  [
    'no network',
    () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })),
    /network error/,
  ],
  ['a fault of the server', () => new Response('<html>org-4711', { status: 503 }), /answered with HTTP 503/],
  ['an answer that is no login', () => Response.json({ error: 'none' }), /something that is no login/],
])('%s leaves the login as it was', async (_name, answer, words) => {
  const pi = piFolder({ anthropic: OLD });
  const before = pi.bytes();
  const tokens = tokenServer(answer);
  const source = await resolved(pi, tokens);
  await expect(source.renew?.()).rejects.toThrow(words);
  expect(pi.bytes()).toEqual(before);
  expect(existsSync(pi.lock)).toBe(false);
});

test('a folder that cannot be written stops before the provider takes the old token back', async () => {
  const pi = piFolder({ anthropic: OLD });
  const tokens = tokenServer(() => renewed(NEW.access, NEW.refresh));
  const source = await resolved(pi, tokens);
  chmodSync(pi.folder, 0o555);
  chmodSync(pi.auth, 0o444);
  await withoutPrivileges(() => expect(source.renew?.()).rejects.toThrow(/auth\.json cannot be written: EACCES/));
  expect(tokens.requests).toEqual([]);
});

/** Root may write everywhere. */
async function withoutPrivileges(work: () => Promise<unknown>): Promise<void> {
  const user = process.geteuid?.();
  if (user !== 0) return void (await work());
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(user);
  }
}

test('what a server leaves out stays as it was: a login is never replaced by half of one', async () => {
  const pi = piFolder({ anthropic: OLD });
  const tokens = tokenServer(() => Response.json({ access_token: NEW.access }));
  await (await resolved(pi, tokens)).renew?.();
  const { anthropic } = pi.entries();
  expect(anthropic).toMatchObject({ access: NEW.access, refresh: OLD.refresh });
  expect(anthropic?.['expires']).toBeGreaterThan(Date.now());
});

test('a link stays a link, and the file that it names is renewed', async () => {
  const real = piFolder({ anthropic: OLD });
  const folder = tempFolder();
  symlinkSync(real.auth, path.join(folder, 'auth.json'));
  const pi = { ...real, folder };
  await (
    await resolved(
      pi,
      tokenServer(() => renewed(NEW.access, NEW.refresh)),
    )
  ).renew?.();
  expect(real.entries()).toMatchObject({ anthropic: NEW });
  expect(readdirSync(folder)).toEqual(['auth.json']);
});

test('an own mode of the file is kept', async () => {
  const pi = piFolder({ anthropic: OLD });
  chmodSync(pi.auth, 0o640);
  await (
    await resolved(
      pi,
      tokenServer(() => renewed(NEW.access, NEW.refresh)),
    )
  ).renew?.();
  expect(pi.mode()).toBe(0o640);
});

test('a login that is still good is not renewed, and resolving a model contacts nobody', async () => {
  const pi = piFolder({ anthropic: { ...OLD, expires: Date.now() + HOUR } });
  const tokens = refusing();
  await (await resolved(pi, tokens)).renew?.();
  const expired = piFolder({ anthropic: OLD });
  await resolved(expired, tokens);
  expect(tokens.requests).toEqual([]);
});

test('a renewal under way when a run ends is kept', async () => {
  const pi = piFolder({ anthropic: OLD });
  const tokens = tokenServer(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return renewed(NEW.access, NEW.refresh);
  });
  const source = await resolved(pi, tokens);
  const harness = await harnessFor(source);
  const signal = AbortSignal.timeout(40);
  await askAsPi(harness, ANTHROPIC.id, [systemMessage(), userMessage('hi')], { signal });
  await source.settled?.();
  expect(pi.entries()).toMatchObject({ anthropic: NEW });
});

test('a renewal that is interrupted before a run goes on until it is kept, and waiting for a lock does not', async () => {
  const pi = piFolder({ anthropic: OLD });
  const tokens = tokenServer(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return renewed(NEW.access, NEW.refresh);
  });
  const source = await resolved(pi, tokens);
  await expect(source.renew?.(AbortSignal.timeout(40))).rejects.toThrow();
  expect(pi.entries()).toMatchObject({ anthropic: OLD });
  await source.settled?.();
  expect(pi.entries()).toMatchObject({ anthropic: NEW });

  const locked = piFolder({ anthropic: OLD });
  mkdirSync(locked.lock);
  const waiting = await resolved(locked, tokens);
  await expect(waiting.renew?.(AbortSignal.timeout(40))).rejects.toThrow();
  await waiting.settled?.();
  expect(existsSync(locked.lock)).toBe(true);
  expect(tokens.requests).toHaveLength(1);
});

test('whoever logs out of pi during a run is believed', async () => {
  const pi = piFolder({ anthropic: { ...OLD, expires: Date.now() + HOUR } });
  const harness = await harnessFor(await resolved(pi, refusing(), await upstreamFor(1)));
  writeFileSync(pi.auth, '{}');
  expect((await ask(harness)).errorMessage).toBe('There are no credentials for this provider on the host any more.');
});

test('calls of fetch that are nobody else’s business stay what they were', async () => {
  const pi = piFolder({ anthropic: OLD });
  const tokens = tokenServer(() => renewed(NEW.access, NEW.refresh));
  await (await resolved(pi, tokens)).renew?.();
  await using elsewhere = await fakeUpstream((res) => void res.end('plain'));
  expect(await (await fetch(elsewhere.origin)).text()).toBe('plain');
  expect(tokens.requests).toHaveLength(1);
});
