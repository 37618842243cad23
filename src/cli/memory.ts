import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MiB } from '../lib/bytes.ts';

/** Bytes that pass through until what they left behind is cleared. */
const CLEAR_AFTER = 8 * MiB;

/**
 * Keeps the memory of this process flat while much passes through it. Left alone, the space for new objects grows to tens
 * of megabytes, and the buffers of a stream, which lie outside of it, are freed only when it is cleared: gigabytes that are
 * handed on hold a hundred megabytes and more at a time.
 */
export class FlatMemory {
  #begun = false;
  #passed = 0;
  #clear: ((options: { type: 'minor' }) => void) | undefined;

  /** From here on that space stays as it is. Loading is slower in a small one, so not before most is loaded. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    setFlagsFromString('--semi-space-growth-factor=1');
  }

  /** Bytes were handed on, and nothing here needs them any more. */
  passed(bytes: number): void {
    this.#passed += bytes;
    if (this.#passed < CLEAR_AFTER) return;
    this.#passed = 0;
    this.#clear ??= collector();
    this.#clear({ type: 'minor' });
  }
}

/** Node has no other way to the collector but this flag, which holds for contexts that are made after it is set. */
function collector(): (options: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  return typeof gc === 'function' ? (options) => void gc(options) : () => {};
}
