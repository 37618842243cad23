import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { SandboxError } from '../errors.ts';
import { MAX_HELD_BYTES, MAX_KEPT_BYTES } from './limits.ts';
import type { ChangeStore } from './store.ts';

const SPOOL = 'spool';

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
  #spool: number | undefined;

  constructor(store: ChangeStore, maxKept = MAX_KEPT_BYTES) {
    this.#store = store;
    this.#maxKept = maxKept;
  }

  /** A content of this many bytes comes. */
  begin(size: number): void {
    this.drop();
    this.#size = size;
    this.#hash = createHash('sha256');
    if (size > MAX_HELD_BYTES) {
      this.#spool = this.#onDisk(() => openSync(path.join(this.#store.folder, SPOOL), 'wx', 0o600));
    }
  }

  /** More than was announced is an error of the caller. Bytes in one piece must stay as they are until `keep`. */
  write(bytes: Buffer): void {
    this.#hash?.update(bytes);
    const { length } = bytes;
    if (this.#spool !== undefined) this.#onDisk(() => writeAll(this.#spool!, bytes));
    else if (length === this.#size) this.#whole = bytes;
    else bytes.copy(this.#held, this.#filled);
    this.#filled += length;
  }

  /** SHA-256 of the content, all of which must have come. */
  finish(): string {
    if (this.#hash === undefined || this.#filled !== this.#size) {
      throw new SandboxError('internal', 'A content was finished before it was whole.');
    }
    return this.#hash.digest('hex');
  }

  /** Keeps the content under its hash; false when too much is kept already. */
  keep(sha256: string): boolean {
    if (this.#kept.has(sha256)) {
      this.drop();
      return true;
    }
    if (this.#keptBytes + this.#size > this.#maxKept) {
      this.drop();
      return false;
    }
    this.#onDisk(() => {
      if (this.#spool === undefined) {
        this.#store.writeBlob(sha256, this.#whole ?? this.#held.subarray(0, this.#size));
        return;
      }
      closeSync(this.#spool);
      this.#spool = undefined;
      renameSync(path.join(this.#store.folder, SPOOL), this.#store.blobPath(sha256));
    });
    this.#kept.add(sha256);
    this.#keptBytes += this.#size;
    this.drop();
    return true;
  }

  /** Forgets the content. */
  drop(): void {
    const spool = this.#spool;
    [this.#spool, this.#whole, this.#hash, this.#size, this.#filled] = [undefined, undefined, undefined, 0, 0];
    if (spool === undefined) return;
    closeSync(spool);
    this.#onDisk(() => rmSync(path.join(this.#store.folder, SPOOL), { force: true }));
  }

  /** Whether a content with this hash was kept. */
  has(sha256: string): boolean {
    return this.#kept.has(sha256);
  }

  /** Removes what was kept and is not wanted after all. */
  removeOthers(wanted: ReadonlySet<string>): void {
    for (const sha256 of this.#kept) {
      if (!wanted.has(sha256)) this.#onDisk(() => rmSync(this.#store.blobPath(sha256), { force: true }));
    }
  }

  #onDisk<T>(act: () => T): T {
    try {
      return act();
    } catch (cause) {
      if (cause instanceof SandboxError) throw cause;
      throw new SandboxError('state', `What the agent changed cannot be kept in ${this.#store.folder}.`, {
        hint: 'Free some space in the state folder; the run itself is recorded.',
        cause,
      });
    }
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
