import { sanitize } from '../../lib/sanitize.ts';
import { planRun, type RunHost, runSandbox } from '../../run.ts';
import type { Interrupts } from '../interrupts.ts';
import { Progress } from '../progress.ts';
import { ask } from '../prompt.ts';
import { type RunOptions, understand } from '../run-arguments.ts';
import { runHost } from '../run-host.ts';

/** `pi-sandbox run`: resolves to the exit code. */
export async function run(args: readonly string[], options: RunOptions, interrupts: Interrupts): Promise<number> {
  const { request, repoFrom } = await understand(args, options);
  const quiet = options.quiet === true;
  const progress = new Progress(process.stderr, quiet || options.json === true);
  if (repoFrom !== 'argument') progress.step(`Repository: ${request.repo} (${repoFrom})`);
  const interactive = process.stdin.isTTY === true && process.stderr.isTTY === true && options.json !== true;
  const host: RunHost = runHost({
    interrupts,
    progress,
    json: options.json === true,
    quiet,
    ...(interactive ? { askNext: () => ask('Turn ended. What should it do instead? (empty ends the run) ') } : {}),
  });
  if (options.dryRun === true) {
    process.stdout.write(`${JSON.stringify(await planRun(request, host), null, 2)}\n`);
    return 0;
  }
  const result = await runSandbox(request, host);
  if (options.json !== true && !interrupts.outputGone && shouldPrintAnswer(quiet)) {
    const text = process.stdout.isTTY ? sanitize(result.answer, { keepNewlines: true }) : result.answer;
    if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }
  return result.outcome.exitCode;
}

/** The answer is a result and goes to stdout, unless the same terminal has just shown it. */
function shouldPrintAnswer(quiet: boolean): boolean {
  return quiet || !process.stdout.isTTY || !process.stderr.isTTY;
}
