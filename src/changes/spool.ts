import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Pieces of a content that can be read again; undefined where it cannot. */
export type Again = () => Iterable<Buffer> | undefined;

/**
 * A large content on its way to a file. As long as it is byte for byte what `again` gives, nothing is written: most
 * large files come out of a sandbox as they went in, and the host still has them.
 */
export class Spool {
  readonly #file: string;
  readonly #again: Again;
  readonly #hash: Hash = createHash('sha256');
  #fd: number | undefined;
  #likeness: Likeness | undefined;
  #lost = false;

  constructor(file: string, again: Again) {
    this.#file = file;
    this.#again = again;
    const pieces = again();
    if (pieces === undefined) this.#open();
    else this.#likeness = new Likeness(pieces);
  }

  write(bytes: Buffer): void {
    if (this.#likeness?.goesOn(bytes) === false) this.#catchUp();
    this.#hash.update(bytes);
    if (this.#fd !== undefined) writeAll(this.#fd, bytes);
    else if (this.#likeness !== undefined) this.#likeness.length += bytes.length;
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Moves the content to this path; false when its beginning is no longer at hand. */
  moveTo(path: string): boolean {
    if (this.#likeness !== undefined) this.#catchUp();
    if (this.#lost) return false;
    this.#close();
    renameSync(this.#file, path);
    return true;
  }

  remove(): void {
    this.#likeness?.end();
    this.#close();
    rmSync(this.#file, { force: true });
  }

  /** Writes what was alike so far, which is read once more and may be another by now. */
  #catchUp(): void {
    const length = this.#likeness?.length ?? 0;
    this.#likeness?.end();
    this.#likeness = undefined;
    const fd = this.#open();
    const hash = createHash('sha256');
    let left = length;
    for (const piece of this.#again() ?? []) {
      const part = piece.subarray(0, left);
      hash.update(part);
      writeAll(fd, part);
      left -= part.length;
      if (left === 0) break;
    }
    this.#lost = left > 0 || hash.digest('hex') !== this.digest();
  }

  #open(): number {
    this.#fd = openSync(this.#file, 'wx', 0o600);
    return this.#fd;
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Follows a second content beside the first. */
class Likeness {
  /** Bytes that were alike. */
  length = 0;
  readonly #pieces: Iterator<Buffer>;
  #piece: Buffer = Buffer.alloc(0);

  constructor(pieces: Iterable<Buffer>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** Whether these bytes come next. */
  goesOn(bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#piece.length === 0) {
        const next = this.#pieces.next();
        if (next.done === true) return false;
        this.#piece = next.value;
      }
      const count = Math.min(this.#piece.length, bytes.length - at);
      if (this.#piece.compare(bytes, at, at + count, 0, count) !== 0) return false;
      this.#piece = this.#piece.subarray(count);
      at += count;
    }
    return true;
  }

  end(): void {
    this.#pieces.return?.();
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
