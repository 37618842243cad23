import { TooMuch } from './budget.ts';
import { uncalledFunctions } from './follow.ts';
import { runForm } from './form.ts';
import { parseShell } from './grammar.ts';
import { MAX_BACKQUOTES, MAX_HEREDOCS, MAX_TEXT } from './limits.ts';
import { NO_INPUT, Reading } from './reading.ts';
import { ShellState } from './state.ts';
import type { ShellPlace, ShellReading } from './types.ts';
import { walkNode, walkScript } from './walk.ts';

/**
 * Finds every simple command that a text of bash may run, as far as that can be told without running it. Never throws: what
 * cannot be told makes the text unclear, and the commands found so far are returned with that.
 */
export function readCommands(text: string, place: ShellPlace): ShellReading {
  const reading = new Reading({ script: walkScript, node: walkNode, form: runForm });
  const run = { reading, state: ShellState.start(place), input: NO_INPUT };
  try {
    if (text.length > MAX_TEXT) throw new TooMuch('it is too long');
    if (text.split('<<').length > MAX_HEREDOCS) throw new TooMuch('it has too many heredocs');
    if (text.split('`').length > MAX_BACKQUOTES) throw new TooMuch('it has too many backquotes');
    // The shell drops them, or stops at them: nothing that follows means what it seems to mean.
    if (text.includes('\0')) reading.doubt('it has a NUL character');
    reading.budget.parse(text.length);
    walkScript(parseShell(text), run);
    uncalledFunctions(run);
  } catch (error) {
    reading.silent = false;
    if (error instanceof TooMuch) reading.doubt(error.message);
    else if (error instanceof RangeError) reading.doubt('it is nested too deeply');
    else reading.doubt('it cannot be taken apart');
  }
  return { commands: reading.commands, unclear: [...reading.unclear] };
}
