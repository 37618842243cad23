import type { Assignment, ParsedScript, SyntaxNode } from 'unbash';
import { clip } from '../../lib/bounded-text.ts';
import { Budget } from './budget.ts';
import type { Expander } from './expand.ts';
import type { ShellState } from './state.ts';
import type { Field, Redirection, SimpleCommand } from './types.ts';

const MAX_REASONS = 20;
const MAX_SHOWN = 60;

/** What a command would read. */
export interface Input {
  readonly afterPipe: boolean;
  /** Programs that write it. */
  readonly fedBy: readonly string[];
  /** All of it, when it stands in the call. */
  readonly text?: string;
  /** The names that it lists, as far as they can be told: `*` for all of a folder. */
  readonly words?: readonly Field[];
}

export const NO_INPUT: Input = { afterPipe: false, fedBy: [] };

/** A place of a text while it is read. */
export interface Run {
  readonly reading: Reading;
  readonly state: ShellState;
  readonly input: Input;
}

/** Where one form of a simple command stands. */
export interface FormRun extends Run {
  readonly redirections: readonly Redirection[];
  /** Variables put before the command. */
  readonly sets: readonly string[];
  /** Programs in the substitutions of its words. */
  readonly inWords: readonly string[];
  /** Arguments such as those of `export A=b`. */
  readonly assigned: readonly Assignment[];
  readonly expander: Expander;
  /** It was found by a program that runs others: a function of its name is not what runs. */
  readonly isProgram?: boolean;
}

/** What a form turned out to be, beyond its words. */
export interface Nature {
  readonly transparent?: boolean;
  readonly runsInput?: boolean;
  readonly sets?: readonly string[];
  /** Finds what it runs in turn; called after the command itself is listed. */
  readonly inside?: () => void;
}

/** The steps of reading. Each may need each other: a script has commands, and a command such as `sh -c` has a script. */
export interface Steps {
  readonly script: (script: ParsedScript, run: Run) => void;
  readonly node: (node: SyntaxNode, run: Run) => void;
  readonly form: (form: readonly Field[], run: FormRun) => void;
}

/** What has been found in one call so far. */
export class Reading {
  readonly steps: Steps;
  readonly budget = new Budget();
  readonly commands: SimpleCommand[] = [];
  readonly unclear = new Set<string>();
  /** Functions and aliases that are being followed. */
  readonly following = new Set<unknown>();
  /** How often each function is being followed, inside of itself. */
  readonly depths = new Map<unknown, number>();
  /** Functions that the text calls. */
  readonly called = new Set<string>();
  /** Looks at what may never run: nothing there makes the call unclear. */
  silent = false;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  add(command: SimpleCommand): void {
    this.budget.command(command.args.length);
    this.commands.push(command);
  }

  /** @param why part of a sentence */
  doubt(why: string, source = ''): void {
    const shown = clip(source.replaceAll(/\s+/g, ' '), MAX_SHOWN);
    if (!this.silent && this.unclear.size < MAX_REASONS) this.unclear.add(source === '' ? why : `${why} ${shown}`);
  }

  /** Names of the programs of the commands that an action finds. */
  programsOf(action: () => void): string[] {
    const from = this.commands.length;
    action();
    return this.commands.slice(from).flatMap(({ program }) => (program === '' ? [] : [program]));
  }
}
