import { sanitize } from '../lib/sanitize.ts';

/** Shortest time between two states of a line that changes in place, milliseconds. */
const REDRAW_MS = 100;

/** One line of state: redrawn in place on a terminal, printed once per change elsewhere when it lasts. */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  readonly #quiet: boolean;
  #drawn = false;
  #last = 0;

  constructor(out: NodeJS.WriteStream, quiet: boolean) {
    this.#out = out;
    this.#quiet = quiet;
  }

  /** A step that is worth a line of its own. */
  step(text: string): void {
    if (this.#quiet) return;
    this.clear();
    this.#out.write(`${sanitize(text, { keepNewlines: false })}\n`);
  }

  /** A state that the next one replaces. */
  update(text: string): void {
    const now = Date.now();
    if (this.#quiet || !this.#out.isTTY || now - this.#last < REDRAW_MS) return;
    this.#last = now;
    const line = sanitize(text, { keepNewlines: false }).slice(0, Math.max(20, this.#out.columns - 1));
    this.#out.write(`\r\u001b[K${line}`);
    this.#drawn = true;
  }

  clear(): void {
    if (this.#drawn) this.#out.write('\r\u001b[K');
    this.#drawn = false;
  }
}
