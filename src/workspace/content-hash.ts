import { createHash, type Hash, hash } from 'node:crypto';

const ZEROS = Buffer.alloc(64 << 10);

/** SHA-256 of content that comes in pieces; most content comes in one, and is hashed in one call. */
export class ContentHash {
  #only: string | undefined;
  #hash: Hash | undefined;
  readonly #size: number;

  /** `size`: bytes that will be added in all. */
  constructor(size: number) {
    this.#size = size;
  }

  add(piece: Buffer): void {
    if (piece.length === this.#size && this.#hash === undefined) this.#only = hash('sha256', piece, 'hex');
    else this.#more().update(piece);
  }

  /** As many zero bytes as there are in a block, or fewer; returns how many. */
  addZeros(most: number): number {
    const block = ZEROS.subarray(0, Math.min(most, ZEROS.length));
    this.#more().update(block);
    return block.length;
  }

  /** Lower-case hex. */
  digest(): string {
    return this.#only ?? this.#more().digest('hex');
  }

  #more(): Hash {
    this.#hash ??= createHash('sha256');
    return this.#hash;
  }
}
