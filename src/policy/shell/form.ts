import { BUILTINS } from './builtins.ts';
import { callFunction, useAlias } from './follow.ts';
import { FORK_BOMB } from './fork-bomb.ts';
import { baseName } from './names.ts';
import type { FormRun, Nature } from './reading.ts';
import { runsCode } from './shells.ts';
import { type Field, UNKNOWN } from './types.ts';
import { unwrap } from './unwrap.ts';

/** Lists one form of a command, and all that it runs in turn. */
export function runForm(form: readonly Field[], run: FormRun): void {
  const { reading, state } = run;
  reading.budget.node();
  const [program, ...args] = form;
  // A cd is itself still in the folder before it.
  const { folder } = state;
  if (program === undefined) {
    if (run.redirections.length > 0 || run.sets.length > 0)
      add('', [], run, { transparent: run.redirections.length === 0 });
    return;
  }
  if (program.text === '') return;
  const name = nameOf(program, run);
  if (isForkBomb(name, run)) add(FORK_BOMB, args, run, {});
  const followed = callFunction(name, args, run);
  if (followed && run.redirections.length === 0) return;
  useAlias(name, args, run);
  const nature = followed
    ? { transparent: true }
    : (BUILTINS[name]?.(args, run) ?? unwrap(name, args, run) ?? runsCode(name, args, run) ?? {});
  add(name, args, run, nature, folder);
  if (nature.inside !== undefined) reading.budget.below(nature.inside);
  // What it is told in words may have changed the state for those after it.
  if (name === UNKNOWN) state.foreign = true;
}

function add(name: string, args: readonly Field[], run: FormRun, nature: Nature, folder = run.state.folder): void {
  const { input, redirections, inWords, sets, reading } = run;
  reading.add({
    program: name,
    args,
    redirections,
    sets: [...sets, ...(nature.sets ?? [])],
    afterPipe: input.afterPipe,
    runsInput: nature.runsInput ?? false,
    fedBy: [...input.fedBy, ...inWords],
    folder,
    transparent: nature.transparent ?? false,
  });
}

/** Name of the program as a pattern. */
function nameOf(program: Field, { reading }: FormRun): string {
  const name = baseName(program.pattern);
  if (name.includes(UNKNOWN)) reading.doubt('its program is known to the shell only:', program.text);
  // The program `[` is no wildcard: nothing closes it.
  else if (/(?<!\\)([*?]|\[[^\]]+\])/.test(name)) reading.doubt('its program is a wildcard:', program.text);
  else return baseName(program.text);
  return name.includes(UNKNOWN) ? UNKNOWN : name;
}

/** A function that starts itself again and again beside itself. */
function isForkBomb(name: string, { reading, state, input }: FormRun): boolean {
  return input.afterPipe && reading.following.has(state.functions.get(name) ?? '');
}
