import type { Interrupts } from './interrupts.ts';

const CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 0, stop: 0 } as const;

/** Ends what goes on at Ctrl-C and the like, so that it can clear up, and knows the exit code that is due then. */
export class UntilInterrupted implements Disposable {
  /** While set, Ctrl-C is somebody else's: a pager's. */
  ignoreKeys = false;
  #exitCode = 0;
  readonly #stop = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(interrupts: Interrupts) {
    this.#unsubscribe = interrupts.listen((kind) => {
      if (kind === 'SIGINT' && this.ignoreKeys) return;
      this.#exitCode = CODES[kind];
      this.#stop.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }
}
