import { rmdirSync } from 'node:fs';
import { mkdir, realpath, rmdir, stat, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { OneAtATime } from '../../lib/one-at-a-time.ts';

/** Longest wait for another holder, milliseconds: as long as pi waits. */
const WAIT_MS = 30_000;
/** Age at which a lock counts as left behind, milliseconds: that of pi. */
const STALE_MS = 30_000;
/** pi's quick look at the file takes a lock for left behind after 10 s, so ours is kept much fresher. */
const TOUCH_MS = 2_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 500;

/** Somebody else has held the lock all the time. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/**
 * pi's lock on a file: the folder `FILE.lock` beside it, whose time of change says that its holder lives. Whoever makes the
 * folder holds the lock.
 */
export class AuthLock implements AsyncDisposable {
  readonly #folder: string;
  readonly #timer: NodeJS.Timeout;
  /** Between being touched and our knowing its new time, the lock looks like somebody else's. */
  readonly #turns = new OneAtATime();
  /** A process that leaves meanwhile must not lock pi out. */
  readonly #onExit = (): void => {
    try {
      rmdirSync(this.#folder);
    } catch {}
  };
  #touched: number;
  #lost = false;

  private constructor(folder: string, touched: number) {
    this.#folder = folder;
    this.#touched = touched;
    this.#timer = setInterval(() => void this.#turns.run(() => this.#touch()), TOUCH_MS);
    this.#timer.unref();
    process.once('exit', this.#onExit);
  }

  /** Rejects with LockedError, with the reason of the signal, or with the system's error when no lock can be made. */
  static async take(file: string, signal?: AbortSignal): Promise<AuthLock> {
    // Links to one file share one lock.
    const folder = `${await realpath(file)}.lock`;
    const deadline = Date.now() + WAIT_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      signal?.throwIfAborted();
      if (await made(folder)) return new AuthLock(folder, await touch(folder));
      if (Date.now() >= deadline) throw new LockedError(`another program has held ${folder} for ${WAIT_MS / 1000} s`);
      await delay(pause * (0.5 + Math.random() / 2), undefined, signal === undefined ? {} : { signal });
    }
  }

  /** Whether it is still ours: a process that was stopped for long may have lost it. */
  held(): Promise<boolean> {
    return this.#turns.run(() => this.#held());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    process.off('exit', this.#onExit);
    if (await this.held()) await rmdir(this.#folder).catch(() => {});
  }

  async #held(): Promise<boolean> {
    if (!this.#lost && (await timeOf(this.#folder)) !== this.#touched) this.#lost = true;
    return !this.#lost;
  }

  async #touch(): Promise<void> {
    if (await this.#held()) this.#touched = await touch(this.#folder).catch(() => this.#touched);
  }
}

async function made(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  const changed = await timeOf(folder);
  if (changed !== undefined && changed < Date.now() - STALE_MS) await rmdir(folder).catch(() => {});
  return false;
}

/** Makes the folder look alive. Returns its time as the file system keeps it. */
async function touch(folder: string): Promise<number> {
  const now = new Date();
  await utimes(folder, now, now);
  return (await stat(folder)).mtimeMs;
}

async function timeOf(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch {
    return undefined;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
