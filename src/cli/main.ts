import { Command, CommanderError } from 'commander';
import { fail } from './fail.ts';
import { Interrupts } from './interrupts.ts';
import { environment } from './environment.ts';
import type { RunOptions } from './run-arguments.ts';

const USAGE = 2;

const interrupts = new Interrupts();
const program = new Command('pi-sandbox')
  .description('Runs the pi coding agent in a locked-down container: no network, no credentials, nothing lands by itself.')
  .exitOverride()
  .showHelpAfterError('(pi-sandbox --help shows all commands)')
  .enablePositionalOptions();

/** Runs a command and makes its result the exit code. */
function action<A extends unknown[]>(work: (...args: A) => Promise<number>): (...args: A) => Promise<void> {
  return async (...args) => {
    process.exitCode = await work(...args);
  };
}

const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

program
  .command('run')
  .description('let the agent work on a private copy of a repository')
  .argument('[repo]', 'folder; without one, the current folder')
  .argument('[prompt...]', 'what to do; without one, a terminal is asked and a pipe is read')
  .option('--repo <dir>', 'the repository, so that the first argument is prompt')
  .option('--prompt-file <file>', 'read the prompt from a file, - for standard input')
  .option('--profile <name>', 'edit, review or triage', 'edit')
  .option('--model <id>', 'provider/model, or scripted:FILE', environment.env('PI_SANDBOX_MODEL'))
  .option('--thinking <level>', 'off, minimal, low, medium, high, xhigh or max')
  .option('--base-url <url>', 'endpoint in place of the provider\'s own')
  .option('--image <name>', 'an image made with "image build"')
  .option('--workspace <mode>', 'copy or mount (read-only)')
  .option('--include <glob>', 'bring an ignored path along (repeatable)', collect)
  .option('--exclude <glob>', 'leave a path out (repeatable)', collect)
  .option('--tools <list>', 'tools of pi: a list, or +name,-name changes')
  .option('--exclude-tools <list>', 'tools to leave out, patterns allowed')
  .option('--network <mode>', 'none')
  .option('--timeout <duration>', 'end the run after this time (1h)')
  .option('--idle-timeout <duration>', 'end the run when nothing happens for this time (20m)')
  .option('--max-turns <n>', 'model calls (200)')
  .option('--max-tokens <n>', 'output tokens of all calls (1000000)')
  .option('--memory <size>', 'memory of the container')
  .option('--cpus <n>', 'processors (2)')
  .option('--pids <n>', 'processes (512)')
  .option('--disk <size>', 'size of the workspace')
  .option('--runtime <name>', 'container runtime, for example runsc')
  .option('--accept-weaker <field>', 'start although this field is not as planned (repeatable)', collect)
  .option('--keep-outputs', 'keep full bash outputs in the run folder')
  .option('--json', 'records as JSON lines on standard output')
  .option('--quiet', 'only the answer')
  .option('--dry-run', 'print the plan and start nothing')
  .action(
    action(async (repo: string | undefined, prompt: string[], options: RunOptions) => {
      const { run } = await import('./commands/run.ts');
      return run([...(repo === undefined ? [] : [repo]), ...prompt], options, interrupts);
    }),
  );

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else process.exitCode = fail(error);
}
// What is left open (idle connections to the engine, the terminal) must not keep the command from ending.
await new Promise<void>((resolve) => process.stdout.write('', () => process.stderr.write('', () => resolve())));
process.exit();
