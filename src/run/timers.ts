import type { RunLimits } from '../protocol/plan.ts';
import type { Stops } from './stops.ts';

/** Longest pause between two looks at the clock, milliseconds. */
const CHECK_MS = 1_000;

/** Enforces wall and idle time of a run. Waiting for our own reader is not idleness, nor is time in which we stood still. */
export class RunTimers implements Disposable {
  readonly #wall: NodeJS.Timeout;
  readonly #check: NodeJS.Timeout;
  #last = performance.now();
  #held = 0;

  constructor(limits: Pick<RunLimits, 'wallMs' | 'idleMs'>, stops: Stops) {
    this.#wall = setTimeout(
      () => stops.limit('wallMs', `The run took longer than ${seconds(limits.wallMs)} (--timeout)`),
      limits.wallMs,
    );
    const every = Math.min(CHECK_MS, limits.idleMs);
    let due = performance.now() + every;
    this.#check = setInterval(() => {
      const now = performance.now();
      // A check that comes late was held up by a stopped process or a sleeping machine: time in which nobody looked.
      this.#last = Math.min(now, this.#last + Math.max(0, now - due));
      due = now + every;
      if (this.#held > 0) this.touch();
      if (now - this.#last < limits.idleMs) return;
      stops.limit('idleMs', `Nothing happened for ${seconds(limits.idleMs)} (--idle-timeout)`);
    }, every);
  }

  /** Something happened. */
  touch(): void {
    this.#last = performance.now();
  }

  /** Time does not count while this work goes on. */
  async holding<T>(work: T | Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await work;
    } finally {
      this.#held--;
      this.touch();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#wall);
    clearInterval(this.#check);
  }
}

function seconds(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}
