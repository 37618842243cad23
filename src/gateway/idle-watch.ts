/** Fires once when nothing was seen for a while. */
export class IdleWatch {
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number, onIdle: () => void) {
    this.#timer = setTimeout(onIdle, ms).unref();
  }

  touch(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
