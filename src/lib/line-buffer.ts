import { ByteBlocks } from './byte-blocks.ts';

/** Start of a dropped line that is kept for diagnosis, bytes. */
const HEAD_BYTES = 256;

/** The line that is being read. A line that lies in one chunk is not copied. */
export class LineBuffer {
  /** Length of the line so far, kept or not. */
  bytes = 0;
  readonly #limit: number;
  /** The whole line so far, while it still points into the caller's chunk. */
  #borrowed: Buffer | undefined;
  readonly #copied = new ByteBlocks();
  #head: Buffer | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get overlong(): boolean {
    return this.bytes > this.#limit;
  }

  push(slice: Buffer): void {
    const before = this.bytes;
    this.bytes += slice.length;
    if (this.overlong) {
      if (before <= this.#limit) this.#giveUp(before, slice);
    } else if (before === 0) {
      this.#borrowed = slice;
    } else {
      this.own();
      this.#copied.push(slice);
    }
  }

  /** Takes over what still points into the caller's chunk, before the next chunk is asked for. */
  own(): void {
    if (this.#borrowed === undefined) return;
    const borrowed = this.#borrowed;
    this.#borrowed = undefined;
    this.#copied.push(borrowed);
  }

  /** The whole line. */
  content(): Buffer {
    return this.#borrowed ?? this.#copied.content();
  }

  head(): { bytes: number; head: Buffer } {
    return { bytes: this.bytes, head: this.#head ?? this.#start(this.bytes) };
  }

  reset(): void {
    this.bytes = 0;
    this.#drop();
    this.#head = undefined;
  }

  #giveUp(before: number, slice: Buffer): void {
    const start = this.#start(before);
    this.#head = Buffer.concat([start, slice.subarray(0, HEAD_BYTES - start.length)]);
    this.#drop();
  }

  /** A copy of the first bytes; the first block is larger than that. */
  #start(kept: number): Buffer {
    const first = this.#borrowed ?? this.#copied.start();
    return Buffer.from(first.subarray(0, Math.min(kept, HEAD_BYTES)));
  }

  #drop(): void {
    this.#borrowed = undefined;
    this.#copied.clear();
  }
}
