import { CommanderError } from 'commander';
import { fail } from './fail.ts';
import { Interrupts } from './interrupts.ts';
import { makeProgram } from './program.ts';

const USAGE = 2;

try {
  await makeProgram(new Interrupts()).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else process.exitCode = fail(error);
}
// What is left open (idle connections to the engine, the terminal) must not keep the command from ending.
await new Promise<void>((resolve) => process.stdout.write('', () => process.stderr.write('', () => resolve())));
process.exit();
