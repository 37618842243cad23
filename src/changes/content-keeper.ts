import { createHash, type Hash, hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { messageOf, SandboxError } from '../errors.ts';
import { MAX_HELD_BYTES, MAX_KEPT_BYTES } from './limits.ts';
import { type Again, Spool } from './spool.ts';
import type { ChangeStore } from './store.ts';

const SPOOL = 'spool';
const NEVER: Again = () => undefined;

/** Whether a content was kept, or why not: too much is kept already, or it is not at hand any more. */
export type Kept = 'kept' | 'too-large' | 'lost';

/**
 * Takes one content after the other, and keeps those that are wanted once their hash is known. A small one waits in
 * memory, a large one in a file of the store; calls are synchronous, since for small files a trip through the thread
 * pool costs more than the work.
 */
export class ContentKeeper {
  readonly #store: ChangeStore;
  readonly #maxKept: number;
  readonly #kept = new Set<string>();
  #keptBytes = 0;
  readonly #held = Buffer.allocUnsafe(MAX_HELD_BYTES);
  #size = 0;
  #filled = 0;
  /** The whole content in the caller's own bytes, where it came in one piece. */
  #whole: Buffer | undefined;
  #hash: Hash | undefined;
  #spool: Spool | undefined;

  constructor(store: ChangeStore, maxKept = MAX_KEPT_BYTES) {
    this.#store = store;
    this.#maxKept = maxKept;
  }

  /** A content of this many bytes comes; `again` gives one that it may be equal to. */
  begin(size: number, again: Again = NEVER): void {
    this.drop();
    this.#size = size;
    if (size > MAX_HELD_BYTES) this.#spool = this.#onDisk(() => new Spool(this.#spoolPath, again));
  }

  /** The bytes must stay as they are until `keep` when they are the whole content. */
  write(bytes: Buffer): void {
    const { length } = bytes;
    if (this.#spool !== undefined) {
      this.#onDisk(() => this.#spool?.write(bytes));
    } else if (length === this.#size) {
      this.#whole = bytes;
    } else {
      this.#hash ??= createHash('sha256');
      this.#hash.update(bytes);
      bytes.copy(this.#held, this.#filled);
    }
    this.#filled += length;
  }

  /** SHA-256 of the content, all of which must have come. */
  finish(): string {
    if (this.#filled !== this.#size) {
      throw new SandboxError('internal', `A content of ${this.#size} bytes ended after ${this.#filled}.`);
    }
    if (this.#spool !== undefined) return this.#spool.digest();
    return this.#hash?.digest('hex') ?? hash('sha256', this.#whole ?? Buffer.alloc(0), 'hex');
  }

  /** Keeps the content under its hash, which `finish` gave. */
  keep(sha256: string): Kept {
    if (this.#kept.has(sha256)) return 'kept';
    if (this.#keptBytes + this.#size > this.#maxKept) return 'too-large';
    const there = this.#onDisk(() => {
      if (this.#spool !== undefined) return this.#spool.moveTo(this.#store.blobPath(sha256));
      this.#store.writeBlob(sha256, this.#whole ?? this.#held.subarray(0, this.#size));
      return true;
    });
    if (!there) return 'lost';
    this.#kept.add(sha256);
    this.#keptBytes += this.#size;
    return 'kept';
  }

  /** Forgets the content. */
  drop(): void {
    const spool = this.#spool;
    [this.#spool, this.#whole, this.#hash, this.#size, this.#filled] = [undefined, undefined, undefined, 0, 0];
    if (spool !== undefined) this.#onDisk(() => spool.remove());
  }

  /** Whether a content with this hash was kept. */
  has(sha256: string): boolean {
    return this.#kept.has(sha256);
  }

  /** Removes what was kept and is not wanted after all. */
  removeOthers(wanted: ReadonlySet<string | undefined>): void {
    for (const sha256 of this.#kept) {
      if (wanted.has(sha256)) continue;
      this.#onDisk(() => rmSync(this.#store.blobPath(sha256), { force: true }));
      this.#kept.delete(sha256);
    }
  }

  get #spoolPath(): string {
    return path.join(this.#store.folder, SPOOL);
  }

  #onDisk<T>(act: () => T): T {
    try {
      return act();
    } catch (cause) {
      if (cause instanceof SandboxError) throw cause;
      throw new SandboxError(
        'state',
        `What the agent changed cannot be kept in ${this.#store.folder}: ${messageOf(cause)}.`,
        {
          hint: 'Free some space in the state folder; the run itself is recorded.',
          cause,
        },
      );
    }
  }
}
