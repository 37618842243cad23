/** Stands in a pattern for text that only the shell will know. */
export const UNKNOWN = '\uffff';

/** One word as a program would get it. */
export interface Field {
  /** Without quotes, `~` and `$HOME` replaced; what only the shell will know as it is written: `$DIR/x`. */
  readonly text: string;
  /** The same as a pattern: quoted wildcards have a `\` before them, unknown text is UNKNOWN. */
  readonly pattern: string;
  /** Whether `text` is what the program would get, wildcards left aside. */
  readonly known: boolean;
  /** Its wildcards have been replaced by names already: they stay wildcards, quoted or not. */
  readonly listed?: true;
}

export interface Redirection {
  readonly target: Field;
  readonly writes: boolean;
}

/** One possible form of a simple command. */
export interface SimpleCommand {
  /** Name of the program without its folder, as a pattern; empty when there are redirections or variables only. */
  readonly program: string;
  readonly args: readonly Field[];
  readonly redirections: readonly Redirection[];
  /** Variables that it sets, exports or gets. */
  readonly sets: readonly string[];
  /** Whether its input is the output of another command. */
  readonly afterPipe: boolean;
  /** Whether it runs text as a program that the call does not hold. */
  readonly runsInput: boolean;
  /** Programs whose output it reads or runs. */
  readonly fedBy: readonly string[];
  /** Folder it runs in, absolute; undefined when that cannot be told. */
  readonly folder: string | undefined;
  /** Only runs commands that are listed themselves, as `env` does: no rule needs to name it. */
  readonly transparent: boolean;
}

/** What a text comes to. */
export interface ShellReading {
  readonly commands: readonly SimpleCommand[];
  /** Why something cannot be told before it runs: a part of a sentence each, without doubles. */
  readonly unclear: readonly string[];
}

/** Where a text would run. */
export interface ShellPlace {
  /** Absolute folder that it starts in. */
  readonly workspace: string;
  /** Absolute home of the agent. */
  readonly home: string;
}

/** A word that is its text, with nothing quoted. */
export function literal(text: string): Field {
  return { text, pattern: text, known: true };
}

/** A word that only the shell will know; `source` is how it is written. */
export function unknown(source: string): Field {
  return { text: source, pattern: UNKNOWN, known: false };
}
