import { existsSync, mkdirSync, rmdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { AuthLock } from '../../../src/gateway/credentials/auth-lock.ts';
import { tempFolder } from '../../support/cli.ts';

afterEach(() => vi.useRealTimers());

function file(): string {
  const made = path.join(tempFolder(), 'auth.json');
  writeFileSync(made, '{}');
  return made;
}

/** The folder as a holder who lives, or died long ago, leaves it. */
function held(auth: string, ageMs: number): void {
  mkdirSync(`${auth}.lock`);
  const changed = new Date(Date.now() - ageMs);
  utimesSync(`${auth}.lock`, changed, changed);
}

test('the lock is the folder that pi makes, and goes with its holder', async () => {
  const auth = file();
  {
    await using lock = await AuthLock.take(auth);
    expect(existsSync(`${auth}.lock`)).toBe(true);
    expect(await lock.held()).toBe(true);
  }
  expect(existsSync(`${auth}.lock`)).toBe(false);
});

test('it stays ours while it is kept fresh, whenever somebody asks or gives it back', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const auth = file();
  for (let round = 0; round < 200; round++) {
    await using lock = await AuthLock.take(auth);
    vi.advanceTimersByTime(2_000);
    for (let turn = 0; turn < round % 8; turn++) await stat(auth);
    expect(await lock.held()).toBe(true);
    vi.advanceTimersByTime(2_000);
    for (let turn = 0; turn < round % 5; turn++) await stat(auth);
  }
  expect(existsSync(`${auth}.lock`)).toBe(false);
});

test('somebody who holds it is waited for', async () => {
  const auth = file();
  held(auth, 0);
  const taking = AuthLock.take(auth);
  let taken = false;
  void taking.then(() => (taken = true));
  await expect.poll(() => taken, { timeout: 300 }).toBe(false);
  rmdirSync(`${auth}.lock`);
  await using _lock = await taking;
  expect(taken).toBe(true);
});

test('what was left behind is taken over', async () => {
  const auth = file();
  held(auth, 31_000);
  await using lock = await AuthLock.take(auth);
  expect(await lock.held()).toBe(true);
});

test('links to one file share one lock', async () => {
  const auth = file();
  const link = path.join(tempFolder(), 'link.json');
  symlinkSync(auth, link);
  await using _lock = await AuthLock.take(link);
  expect(existsSync(`${auth}.lock`)).toBe(true);
});

test('waiting ends with its signal', async () => {
  const auth = file();
  held(auth, 0);
  await expect(AuthLock.take(auth, AbortSignal.timeout(50))).rejects.toThrow(/abort|timeout/i);
});

test('a lock that somebody else has taken over is neither believed in nor removed', async () => {
  const auth = file();
  const lock = await AuthLock.take(auth);
  rmdirSync(`${auth}.lock`);
  held(auth, 5_000);
  expect(await lock.held()).toBe(false);
  await lock[Symbol.asyncDispose]();
  expect(existsSync(`${auth}.lock`)).toBe(true);
});
