import type { Screen } from './render-screen.ts';
import { span } from './render-style.ts';

/** Shortest time between two states of a line that changes in place, milliseconds. */
const REDRAW_MS = 100;

/** One line of state, redrawn in place on a terminal, and steps that stay. Both through the screen that owns the terminal. */
export class Progress {
  readonly #screen: Screen;
  readonly #now: () => number;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
  }

  /** A step that is worth a line of its own. */
  step(text: string): void {
    this.#screen.line(span(text));
  }

  /** A state that the next one, or anything else, replaces. Nothing without a terminal. */
  update(text: string): void {
    if (this.#now() - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = this.#now();
    this.#screen.live([text]);
  }

  clear(): void {
    this.#screen.clearLive();
  }
}
