import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ApplyOptions } from './commands/apply.ts';
import type { DiffOptions } from './commands/diff.ts';
import type { BuildOptions } from './commands/image.ts';
import type { LogsOptions } from './commands/logs.ts';
import type { PolicyShowOptions } from './commands/policy.ts';
import type { PruneOptions } from './commands/prune.ts';
import { connectEngine } from './connect.ts';
import type { Interrupts } from './interrupts.ts';
import { OwnCommand } from './own-command.ts';
import { productRoot } from './product-root.ts';
import type { RunOptions } from './run-arguments.ts';
import { addRunOptions, once } from './run-options.ts';

interface Json {
  readonly json?: boolean;
}

const RUN = 'id, unique prefix of one, or "last": the newest of this repository when inside one, else of all';

const CALL = 'call id, unique prefix of one, or the number that the transcript shows';

/** The command line. Each command is loaded when it is used; its result becomes the exit code. */
export function makeProgram(interrupts: Interrupts): Command {
  const program = new OwnCommand('pi-sandbox')
    .description(
      'Runs the pi coding agent in a locked-down container: no network, no credentials, nothing lands by itself.',
    )
    .version(ownVersion(), '--version', 'show the version')
    .helpCommand(false)
    .exitOverride()
    .enablePositionalOptions();
  addRun(program, interrupts);
  addLooking(program, interrupts);
  addHandBack(program, interrupts);
  addEnding(program);
  addPolicy(program);
  addImage(program, interrupts);
  return program.addHelp();
}

function addRun(program: Command, interrupts: Interrupts): void {
  addRunOptions(program.command('run').description('let the agent work on a private copy of a repository')).action(
    action(async (repo: string | undefined, prompt: string[], options: RunOptions) => {
      interrupts.sayUntilHeard('Interrupted before anything was started.');
      // The engine answers while the rest is loaded. Who needs the connection hears of a failure.
      const engine = connectEngine();
      engine.catch(() => {});
      // Loading holds up the event loop, so the first questions go out before it.
      await eventLoopTurn();
      await eventLoopTurn();
      const { run } = await import('./commands/run.ts');
      return run([...(repo === undefined ? [] : [repo]), ...prompt], options, { interrupts, engine });
    }),
  );
}

function addLooking(program: Command, interrupts: Interrupts): void {
  program
    .command('ls')
    .description('list all runs, newest first')
    .option('--json', 'one JSON line per run')
    .action(action(async (options: Json) => (await import('./commands/ls.ts')).ls(options)));
  program
    .command('show')
    .description('show plan, isolation, cost and outcome of a run')
    .argument('[run]', RUN, 'last')
    .option('--json', 'as one JSON value')
    .action(action(async (run: string, options: Json) => (await import('./commands/show.ts')).show(run, options)));
  program
    .command('logs')
    .description('print the transcript of a run')
    .argument('[run]', RUN, 'last')
    .option('-f, --follow', 'go on until the run has ended')
    .option('--json', 'records as JSON lines')
    .action(
      action(async (run: string, options: LogsOptions) =>
        (await import('./commands/logs.ts')).logs(run, options, interrupts),
      ),
    );
  program
    .command('output')
    .description('print the full output of a tool call')
    .argument('<run>', RUN)
    .argument('<call>', CALL)
    .action(action(async (run: string, call: string) => (await import('./commands/output.ts')).output(run, call)));
  program
    .command('diff')
    .description('show what a run changed; what needs your eye comes first')
    .argument('<run>', RUN)
    .argument('[path...]', 'only changes at or below these paths')
    .option('--stat', 'one line a change')
    .option('--patch', 'bytes for "git apply"')
    .option('--json', 'change set and patch as one JSON value')
    .action(
      action(async (run: string, paths: string[], options: DiffOptions) =>
        (await import('./commands/diff.ts')).diff(run, paths, options, interrupts),
      ),
    );
  program
    .command('models')
    .description('list the models that would work, and where each credential comes from; contacts nobody')
    .argument('[provider]', 'list the models of this one')
    .option('--json', 'as one JSON value')
    .action(
      action(async (provider: string | undefined, options: Json) =>
        (await import('./commands/models.ts')).models(provider, options),
      ),
    );
  program
    .command('doctor')
    .description('check whether a run can start here, and how well it would be isolated')
    .option('--json', 'as one JSON value')
    .action(action(async (options: Json) => (await import('./commands/doctor.ts')).doctor(options)));
}

function addHandBack(program: Command, interrupts: Interrupts): void {
  program
    .command('apply')
    .description('write what a run changed, all of it or nothing')
    .argument('<run>', RUN)
    .argument('[path...]', 'only these files, and what is below these folders')
    .option('--to <dir>', 'write to this folder instead of the repository')
    .option('--branch <name>', 'commit onto a new branch instead, and leave the files alone')
    .option('--allow-risk <class>', 'allow changes of this class; may be given again', collected, [])
    .option('--check', 'only say what would happen')
    .action(
      action(async (run: string, paths: string[], options: ApplyOptions) =>
        (await import('./commands/apply.ts')).apply(run, paths, options, interrupts),
      ),
    );
  program
    .command('discard')
    .description('remove what a run changed, and keep the run')
    .argument('<run>', RUN)
    .action(action(async (run: string) => (await import('./commands/discard.ts')).discard(run)));
}

function addEnding(program: Command): void {
  program
    .command('stop')
    .description('end a run in order, and wait until it has')
    .argument('<run>', RUN)
    .action(action(async (run: string) => (await import('./commands/stop.ts')).stop(run)));
  program
    .command('rm')
    .description('remove what is kept of a run')
    .argument('<run>', RUN)
    .option('--force', 'end it first when it is running')
    .action(
      action(async (run: string, options: { force?: boolean }) => (await import('./commands/rm.ts')).rm(run, options)),
    );
  program
    .command('prune')
    .description('remove leftovers and old runs')
    .option('--older-than <duration>', 'age of the runs to remove (30d)')
    .option('--images', 'also remove images of other versions of pi-sandbox')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only list')
    .action(action(async (options: PruneOptions) => (await import('./commands/prune.ts')).prune(options)));
}

function addPolicy(program: OwnCommand): void {
  const policy = program
    .command('policy')
    .description('check policy files, show what one comes to, or why it decided as it did');
  policy
    .command('check')
    .description('say what is wrong with policy files; starts nothing')
    .argument('<file...>', 'policy files')
    .action(action(async (files: string[]) => (await import('./commands/policy.ts')).policyCheck(files)));
  policy
    .command('show')
    .description('print the effective policy, and where each value came from; starts nothing')
    .option('--profile <name>', 'edit, review or triage (edit)')
    .option('--policy <file>', 'a policy of yours', once('--policy'))
    .option('--tools <list>', 'as for run')
    .option('--exclude-tools <list>', 'as for run')
    .option('--json', 'as one JSON value')
    .action(action(async (options: PolicyShowOptions) => (await import('./commands/policy.ts')).policyShow(options)));
  policy
    .command('explain')
    .description('say what was decided about a tool call of a run, by which rules, and who decided')
    .argument('<run>', RUN)
    .argument('<call>', CALL)
    .action(
      action(async (run: string, call: string) =>
        (await import('./commands/policy-explain.ts')).policyExplain(run, call),
      ),
    );
  policy.addHelp();
}

function addImage(program: OwnCommand, interrupts: Interrupts): void {
  const image = program.command('image').description('build or show the image that runs use');
  image
    .command('build')
    .description('build the image of this version; prints its name')
    .option('--from <image>', 'layer upon an image of yours, for its toolchain')
    .option('--base <image>', 'base of the default image')
    .option('--if-missing', 'only when there is none that fits')
    .action(
      action(async (options: BuildOptions) => (await import('./commands/image.ts')).imageBuild(options, interrupts)),
    );
  image
    .command('show')
    .description('show the image of this version, and whether it fits')
    .option('--json', 'as one JSON value')
    .action(action(async (options: Json) => (await import('./commands/image.ts')).imageShow(options)));
  image.addHelp();
}

function collected(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** Runs a command and makes its result the exit code. */
function action<A extends unknown[]>(work: (...args: A) => Promise<number>): (...args: A) => Promise<void> {
  return async (...args) => {
    process.exitCode = await work(...args);
  };
}

function ownVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(path.join(productRoot, 'package.json'), 'utf8'));
  return String((parsed as { version?: unknown }).version);
}
