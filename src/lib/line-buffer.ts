/** Start of a dropped line that is kept for diagnosis, bytes. */
const HEAD_BYTES = 256;
const MIN_BLOCK_BYTES = 4 * 1024;
const MAX_BLOCK_BYTES = 1024 * 1024;

/**
 * The line that is being read. A line that lies in one chunk is not copied; else its bytes are copied into blocks of our
 * own, since a list of slices would cost far more than the limit when a writer sends single bytes. Blocks are never
 * enlarged, so a line that is given up leaves no more garbage than the limit.
 */
export class LineBuffer {
  /** Length of the line so far, kept or not. */
  bytes = 0;
  readonly #limit: number;
  /** The whole line so far, while it still points into the caller's chunk. */
  #borrowed: Buffer | undefined;
  #blocks: Buffer[] = [];
  /** Bytes used in the last block. */
  #used = 0;
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
      this.#copy(slice);
    }
  }

  /** Takes over what still points into the caller's chunk, before the next chunk is asked for. */
  own(): void {
    if (this.#borrowed === undefined) return;
    const borrowed = this.#borrowed;
    this.#borrowed = undefined;
    this.#copy(borrowed);
  }

  /** The whole line. */
  content(): Buffer {
    return this.#borrowed ?? Buffer.concat(this.#blocks, this.bytes);
  }

  head(): { bytes: number; head: Buffer } {
    return { bytes: this.bytes, head: this.#head ?? this.#start(this.bytes) };
  }

  reset(): void {
    this.bytes = 0;
    this.#drop();
    this.#head = undefined;
  }

  #copy(slice: Buffer): void {
    let copied = 0;
    while (copied < slice.length) {
      let block = this.#blocks.at(-1);
      if (block === undefined || this.#used === block.length) {
        block = Buffer.allocUnsafeSlow(Math.min(MAX_BLOCK_BYTES, Math.max(MIN_BLOCK_BYTES, this.bytes)));
        this.#blocks.push(block);
        this.#used = 0;
      }
      const count = slice.copy(block, this.#used, copied);
      this.#used += count;
      copied += count;
    }
  }

  #giveUp(before: number, slice: Buffer): void {
    const start = this.#start(before);
    this.#head = Buffer.concat([start, slice.subarray(0, HEAD_BYTES - start.length)]);
    this.#drop();
  }

  /** A copy of the first bytes; the first block is larger than that. */
  #start(kept: number): Buffer {
    const first = this.#borrowed ?? this.#blocks[0] ?? Buffer.alloc(0);
    return Buffer.from(first.subarray(0, Math.min(kept, HEAD_BYTES)));
  }

  #drop(): void {
    this.#borrowed = undefined;
    this.#blocks = [];
    this.#used = 0;
  }
}
