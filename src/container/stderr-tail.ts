import type { Readable } from 'node:stream';
import { ByteBlocks } from '../lib/byte-blocks.ts';

/** Blocks that the tail is made of; up to one more is held. */
const BLOCKS = 8;

/**
 * Reads an error stream to its end and keeps the last `maxBytes`. It must always be read: an unread stream holds its
 * neighbour on the same connection back.
 */
export class StderrTail {
  readonly #kept: ByteBlocks;
  readonly #maxBytes: number;
  #bytes = 0;
  readonly #waiting = new Map<string, () => void>();

  constructor(stream: Readable, maxBytes: number) {
    this.#kept = new ByteBlocks(Math.ceil(maxBytes / BLOCKS));
    this.#maxBytes = maxBytes;
    stream.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      this.#kept.push(chunk.subarray(-maxBytes));
      this.#kept.keepLast(maxBytes);
      if (this.#waiting.size > 0) this.#look();
    });
    stream.on('error', () => {});
  }

  /** Bytes seen in all. */
  get bytes(): number {
    return this.#bytes;
  }

  get text(): string {
    return this.#kept.content().subarray(-this.#maxBytes).toString('utf8');
  }

  /** Settles when the stream has said this line. */
  said(line: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(line, resolve);
      this.#look();
    });
  }

  #look(): void {
    const lines = this.text.split('\n');
    for (const [line, resolve] of this.#waiting) {
      if (!lines.includes(line)) continue;
      this.#waiting.delete(line);
      resolve();
    }
  }
}
