import { KiB, MiB } from './bytes.ts';

const MIN_BLOCK_BYTES = 4 * KiB;
const MAX_BLOCK_BYTES = MiB;

/**
 * Bytes copied into blocks of our own, since a list of slices costs far more than its bytes when a writer sends single
 * ones. Blocks grow with what is kept and are never enlarged, so that giving up leaves no more garbage than was kept.
 */
export class ByteBlocks {
  /** Bytes kept. */
  bytes = 0;
  readonly #maxBlockBytes: number;
  #blocks: Buffer[] = [];
  /** Bytes used in the last block. */
  #used = 0;

  constructor(maxBlockBytes = MAX_BLOCK_BYTES) {
    this.#maxBlockBytes = maxBlockBytes;
  }

  push(slice: Buffer): void {
    let copied = 0;
    while (copied < slice.length) {
      let block = this.#blocks.at(-1);
      if (block === undefined || this.#used === block.length) {
        const wanted = Math.max(MIN_BLOCK_BYTES, this.bytes + slice.length - copied);
        block = Buffer.allocUnsafeSlow(Math.min(this.#maxBlockBytes, wanted));
        this.#blocks.push(block);
        this.#used = 0;
      }
      const count = slice.copy(block, this.#used, copied);
      this.#used += count;
      copied += count;
      this.bytes += count;
    }
  }

  /** A copy of everything. */
  content(): Buffer {
    return Buffer.concat(this.#blocks, this.bytes);
  }

  /** The beginning, as much of it as lies in one piece; overwritten by nothing, so it may be kept. */
  start(): Buffer {
    return this.#blocks[0]?.subarray(0, this.bytes) ?? Buffer.alloc(0);
  }

  /** Forgets blocks from the beginning as long as at least the last `bytes` are left. */
  keepLast(bytes: number): void {
    while (this.#blocks.length > 1 && this.bytes - this.#blocks[0]!.length >= bytes) {
      this.bytes -= this.#blocks.shift()!.length;
    }
  }

  clear(): void {
    this.bytes = 0;
    this.#blocks = [];
    this.#used = 0;
  }
}
