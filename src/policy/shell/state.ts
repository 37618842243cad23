import type { Function as ShellFunction } from 'unbash';
import { MAX_FORMS } from './limits.ts';
import { type Field, literal, type ShellPlace, unknown } from './types.ts';

/** Elements of a variable: one, or those of an array. */
export type Elements = readonly Field[];

/** What is known of the shell at one place of a text. */
export class ShellState {
  readonly place: ShellPlace;
  readonly functions: Map<string, ShellFunction>;
  readonly aliases: Map<string, string>;
  /** `$1` and so on; undefined when nobody knows them. */
  positional: Elements | undefined;
  /** `$0`. */
  name = 'bash';
  /** Absolute; undefined when nobody knows. */
  folder: string | undefined;
  /** What `cd -` goes to. */
  folderBefore: string | undefined;
  /** Something that was not read here may have set variables. */
  foreign = false;
  /** Inside of something that may not run, or that runs more than once. */
  conditional = 0;
  readonly #variables: Map<string, readonly Elements[]>;

  private constructor(place: ShellPlace, from?: ShellState) {
    this.place = place;
    this.functions = new Map(from?.functions);
    this.aliases = new Map(from?.aliases);
    this.#variables = new Map(from === undefined ? [] : from.#variables);
    this.positional = from === undefined ? [] : from.positional;
    this.folder = from === undefined ? place.workspace : from.folder;
    this.folderBefore = from?.folderBefore;
    this.name = from?.name ?? 'bash';
    this.foreign = from?.foreign ?? false;
    this.conditional = from?.conditional ?? 0;
  }

  static start(place: ShellPlace): ShellState {
    return new ShellState(place);
  }

  /** What a subshell starts with. */
  fork(): ShellState {
    return new ShellState(this.place, this);
  }

  /** Every value that a variable can have; undefined when the text has not set it. */
  valuesOf(name: string): readonly Elements[] | undefined {
    return this.#variables.get(name);
  }

  /** `undefined` for a value that only the shell will know. */
  assign(name: string, values: readonly Elements[] | undefined): void {
    const added = values ?? [[unknown(`$${name}`)]];
    const unset = name === 'IFS' ? [[literal(' \t\n')]] : [];
    const before = this.conditional > 0 ? (this.#variables.get(name) ?? unset) : [];
    const fresh = added.filter((value) => !before.some((old) => sameElements(old, value)));
    const all = [...before, ...fresh];
    this.#variables.set(name, all.length > MAX_FORMS ? [[unknown(`$${name}`)]] : all);
  }

  unset(name: string): void {
    if (this.conditional === 0) this.#variables.delete(name);
    else if (this.#variables.has(name)) this.assign(name, [[]]);
    this.functions.delete(name);
  }

  /** Runs what may not run at all, or more than once: its values are added, and the folder is the old one afterwards. */
  perhaps(action: () => void): void {
    const { folder } = this;
    this.conditional++;
    try {
      action();
    } finally {
      this.conditional--;
      this.folder = folder;
    }
  }
}

function sameElements(a: Elements, b: Elements): boolean {
  return a.length === b.length && a.every((field, index) => field.pattern === b[index]?.pattern);
}
