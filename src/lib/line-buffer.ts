/** Start of a dropped line that is kept for diagnosis, bytes. */
const HEAD_BYTES = 256;
const EMPTY: Buffer = Buffer.alloc(0);

/**
 * The line that is being read. Bytes are copied into one growing block, since a list of slices would cost far more
 * than the limit when a writer sends single bytes. A line that lies in one chunk is not copied.
 */
export class LineBuffer {
  /** Length of the line so far, kept or not. */
  bytes = 0;
  readonly #limit: number;
  #block = EMPTY;
  /** The block belongs to us, so it may be written to. */
  #owned = false;

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
      if (before <= this.#limit) this.#block = this.#headOf(slice, before);
      this.#owned = true;
    } else if (before === 0) {
      this.#block = slice;
      this.#owned = false;
    } else {
      this.#reserve(before);
      slice.copy(this.#block, before);
    }
  }

  /** Takes over what still points into the caller's chunk, before the next chunk is asked for. */
  own(): void {
    if (!this.#owned && this.bytes > 0) this.#reserve(this.bytes);
  }

  /** The whole line; valid for the caller to keep. */
  content(): Buffer {
    return this.#block.subarray(0, this.bytes);
  }

  head(): { bytes: number; head: Buffer } {
    return { bytes: this.bytes, head: Buffer.from(this.#block.subarray(0, Math.min(this.bytes, HEAD_BYTES))) };
  }

  reset(): void {
    this.bytes = 0;
    this.#block = EMPTY;
    this.#owned = false;
  }

  #reserve(kept: number): void {
    if (this.#owned && this.bytes <= this.#block.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(this.bytes, 2 * kept, 1024), this.#limit));
    this.#block.copy(grown, 0, 0, kept);
    this.#block = grown;
    this.#owned = true;
  }

  #headOf(slice: Buffer, before: number): Buffer {
    const start = this.#block.subarray(0, Math.min(before, HEAD_BYTES));
    return Buffer.concat([start, slice.subarray(0, HEAD_BYTES - start.length)]);
  }
}
