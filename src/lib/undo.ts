type Step = () => void | Promise<void>;

/**
 * Undo steps of what has been acquired so far, newest first. Each acquisition registers its own undo at once, so
 * that a failure or an interruption at any point leaves nothing behind. Running it twice is the same as once.
 */
export class UndoStack implements AsyncDisposable {
  #steps: { name: string; step: Step }[] = [];
  #running: Promise<unknown[]> | undefined;

  add(name: string, step: Step): void {
    this.#steps.push({ name, step });
  }

  /** Runs every step, even when one fails. Returns what failed. */
  run(): Promise<unknown[]> {
    this.#running ??= this.#unwind();
    return this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run();
  }

  async #unwind(): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (let last = this.#steps.pop(); last !== undefined; last = this.#steps.pop()) {
      try {
        await last.step();
      } catch (error) {
        failures.push(new Error(`could not undo "${last.name}"`, { cause: error }));
      }
    }
    return failures;
  }
}
