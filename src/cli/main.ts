import { Console } from 'node:console';
import { CommanderError } from 'commander';
import { fail } from './fail.ts';
import { Interrupts } from './interrupts.ts';
import { silenceKnownWarnings } from './node-warnings.ts';
import { makeProgram } from './program.ts';

const USAGE = 2;

// Libraries that print for debugging must not land among the results on standard output.
globalThis.console = new Console(process.stderr, process.stderr);
silenceKnownWarnings();
// A fault that nobody caught ends with the exit code of a fault of ours; Node's own would blame the agent.
process.on('uncaughtException', (error) => process.exit(fail(error)));

try {
  await makeProgram(new Interrupts()).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else process.exitCode = fail(error);
}
// What is left open (idle connections to the engine, the terminal) must not keep the command from ending.
await new Promise<void>((resolve) => process.stdout.write('', () => process.stderr.write('', () => resolve())));
process.exit();
