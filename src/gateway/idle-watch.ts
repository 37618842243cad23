/** Fires once when nothing was seen for a while. */
export class IdleWatch {
  readonly #timer: NodeJS.Timeout;
  #held = 0;

  constructor(ms: number, onIdle: () => void) {
    this.#timer = setTimeout(() => {
      if (this.#held > 0) this.#timer.refresh();
      else onIdle();
    }, ms).unref();
  }

  touch(): void {
    this.#timer.refresh();
  }

  /** Does not count the time that `work` takes: it is not the watched side that is slow. */
  async without<T>(work: Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await work;
    } finally {
      this.#held--;
      this.#timer.refresh();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
