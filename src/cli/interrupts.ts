import type { Interrupt } from '../run.ts';

type Listener = (kind: Interrupt) => void;

/**
 * One handler per signal for the whole process, so that Ctrl-C never ends it in the middle of a teardown. A reader of
 * our output that goes away counts as one more kind.
 */
export class Interrupts {
  readonly #listeners = new Set<Listener>();
  #gone = false;
  #unheard: string | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => this.#tell(signal));
    // A closed terminal: end as SIGTERM does.
    process.on('SIGHUP', () => this.#tell('SIGTERM'));
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE' || this.#gone) return;
        this.#gone = true;
        this.#tell('SIGPIPE');
      });
    }
  }

  /** Whether somebody still reads our output. */
  get outputGone(): boolean {
    return this.#gone;
  }

  /** What is said of a signal that comes before the first listener. */
  sayUntilHeard(text: string): void {
    this.#unheard = text;
  }

  listen = (listener: Listener): (() => void) => {
    this.#unheard = undefined;
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Ctrl-C that the terminal gave to us as a key. */
  raise = (): void => this.#tell('SIGINT');

  #tell(kind: Interrupt): void {
    for (const listener of this.#listeners) listener(kind);
    // Nobody to tell: nothing is under way that would need an orderly end.
    if (this.#listeners.size > 0 || kind === 'SIGPIPE') return;
    if (this.#unheard !== undefined) process.stderr.write(`pi-sandbox: ${this.#unheard}\n`);
    process.exit(kind === 'SIGINT' ? 130 : 143);
  }
}
