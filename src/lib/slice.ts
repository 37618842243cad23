import { setImmediate } from 'node:timers/promises';

/**
 * Lets long runs of short synchronous calls share the thread: `pause` gives way to everything else that waits once
 * the slice is used up, and stops where the signal says so.
 */
export class TimeSlice {
  readonly #ms: number;
  readonly #signal: AbortSignal | undefined;
  readonly #onPause: () => void;
  #start = performance.now();

  constructor(ms: number, signal: AbortSignal | undefined, onPause: () => void = () => {}) {
    this.#ms = ms;
    this.#signal = signal;
    this.#onPause = onPause;
  }

  /** Whether it is time for `pause`; cheap enough to ask for every file. */
  get over(): boolean {
    return performance.now() - this.#start >= this.#ms;
  }

  async pause(): Promise<void> {
    this.#onPause();
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#start = performance.now();
  }
}
