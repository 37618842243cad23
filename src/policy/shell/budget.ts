import { MAX_COMMANDS, MAX_DEPTH, MAX_NODES, MAX_PARSED, MAX_WORDS } from './limits.ts';

/** A bound was reached: the text is more than will be looked at. The message is part of a sentence. */
export class TooMuch extends Error {}

/** What one text may still cost. */
export class Budget {
  #nodes = MAX_NODES;
  #commands = MAX_COMMANDS;
  #words = MAX_WORDS;
  #parsed = MAX_PARSED;
  #depth = 0;

  /** So many nodes, or words that an expansion makes. @throws TooMuch */
  node(count = 1): void {
    this.#nodes -= count;
    if (this.#nodes < 0) throw new TooMuch('it has too many parts');
  }

  /** A command of so many words. @throws TooMuch */
  command(words: number): void {
    if (--this.#commands < 0) throw new TooMuch('it comes to too many commands');
    this.#words -= words;
    if (this.#words < 0) throw new TooMuch('it has too many words');
  }

  /** @throws TooMuch */
  parse(units: number): void {
    this.#parsed -= units;
    if (this.#parsed < 0) throw new TooMuch('it is nested too deeply for its length');
  }

  /** Runs something one level down. @throws TooMuch */
  below<T>(action: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new TooMuch('it is nested too deeply');
    try {
      return action();
    } finally {
      this.#depth--;
    }
  }
}
