/** The turn that a first Ctrl-C would end. Set while pi works on a prompt, used once per turn. */
export class TurnSwitch {
  #abort: (() => void) | undefined;
  /** Whether a turn was ended this way. */
  used = false;

  arm(abort: () => void): void {
    this.#abort = abort;
  }

  disarm(): void {
    this.#abort = undefined;
  }

  /** Ends the turn. False when there is none, or when it is being ended already. */
  abort(): boolean {
    const abort = this.#abort;
    if (abort === undefined) return false;
    this.#abort = undefined;
    this.used = true;
    abort();
    return true;
  }
}
