import { parseShell } from './grammar.ts';
import type { FormRun } from './reading.ts';
import type { Field } from './types.ts';

/** How often a function is followed inside of itself: with other words it may run another program. */
const MAX_RECURSION = 3;

/** Follows the call of a function of the text; false when there is none of that name. */
export function callFunction(name: string, args: readonly Field[], run: FormRun): boolean {
  const { reading, state } = run;
  const called = state.functions.get(name);
  // What runs another command by its name, as `command` does, looks for a program.
  if (called === undefined || run.isProgram) return false;
  reading.called.add(name);
  const depth = reading.depths.get(called) ?? 0;
  if (depth >= MAX_RECURSION) return true;
  const { positional } = state;
  reading.depths.set(called, depth + 1);
  reading.following.add(called);
  state.positional = args;
  try {
    reading.budget.below(() => reading.steps.node(called.body, { reading, state, input: run.input }));
  } finally {
    state.positional = positional;
    reading.depths.set(called, depth);
    if (depth === 0) reading.following.delete(called);
  }
  return true;
}

/** Looks into functions that nothing in the text calls: a trap or another shell may. */
export function uncalledFunctions(run: Pick<FormRun, 'reading' | 'state' | 'input'>): void {
  const { reading, state } = run;
  reading.silent = true;
  for (const [name, uncalled] of [...state.functions]) {
    if (reading.called.has(name)) continue;
    reading.following.add(uncalled);
    const inside = state.fork();
    inside.positional = undefined;
    reading.steps.node(uncalled.body, { ...run, state: inside });
    reading.following.delete(uncalled);
  }
  reading.silent = false;
}

/**
 * Reads a command in addition with the alias that the text gave it. Only some shells replace aliases in a text that they
 * did not read from a terminal, so the command as it stands counts too.
 */
export function useAlias(name: string, args: readonly Field[], run: FormRun): void {
  const { reading, state } = run;
  const alias = state.aliases.get(name);
  const key = `alias ${name}`;
  if (alias === undefined || reading.following.has(key)) return;
  const text = `${alias} ${args.map(quoted).join(' ')}`;
  reading.following.add(key);
  reading.budget.parse(text.length);
  reading.budget.below(() => reading.steps.script(parseShell(text), { reading, state, input: run.input }));
  reading.following.delete(key);
}

/** A word as it has to be written to become this field. */
export function quoted({ text, pattern, known }: Field): string {
  if (!known) return text;
  if (/^[\w./~*?@%+:,=-]+$/.test(pattern)) return pattern;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
