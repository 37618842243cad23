import type { Engine } from '../../container/engine.ts';
import { sanitize } from '../../lib/sanitize.ts';
import type { AskGate } from '../../protocol/gate.ts';
import { planRun, type RunHost, runSandbox } from '../../run.ts';
import { environment } from '../environment.ts';
import { askMode } from '../gate/ask-mode.ts';
import type { Interrupts } from '../interrupts.ts';
import { isLastHere } from '../pick-run.ts';
import { printJson, say } from '../print.ts';
import { ask, INTERRUPTED } from '../prompt.ts';
import { recoverApplies } from '../recover-applies.ts';
import { Renderer } from '../render.ts';
import { type RunOptions, understand } from '../run-arguments.ts';
import { runHost } from '../run-host.ts';
import type { Display } from '../shown-line.ts';

/** `pi-sandbox run`: resolves to the exit code. */
export async function run(
  args: readonly string[],
  options: RunOptions,
  { interrupts, engine }: { interrupts: Interrupts; engine: Promise<Engine> },
): Promise<number> {
  // A repository that is half written must not be what the agent starts from.
  await recoverApplies();
  const asking = askMode(options, process);
  const { request, repoFrom, doubt } = await understand(args, options);
  const quiet = options.quiet === true;
  const display = environment.display(process.stderr);
  const renderer = new Renderer(process.stderr, {
    ...display,
    quiet: quiet || options.json === true,
    ...(lastNames(request.repo) ? { ref: 'last' } : {}),
  });
  if (repoFrom !== 'argument') renderer.notice(`Repository: ${request.repo} (${repoFrom})`);
  if (doubt !== undefined) renderer.notice(`pi-sandbox: ${doubt}`);
  const interactive = process.stdin.isTTY === true && process.stderr.isTTY === true && options.json !== true;
  const host: RunHost = runHost({
    interrupts,
    engine,
    renderer,
    json: options.json === true,
    ...(interactive ? { askNext } : {}),
    ...(asking === 'terminal' ? { askAtTerminal: atTerminal(interrupts, display) } : {}),
    ...(asking === 'stdin' ? { askElsewhere: await answersOnStdin() } : {}),
  });
  if (options.dryRun === true) {
    printJson(await closing(renderer, planRun(request, host)));
    return 0;
  }
  const result = await closing(renderer, runSandbox(request, host));
  if (options.json !== true && !interrupts.outputGone && shouldPrintAnswer(quiet)) {
    const text = process.stdout.isTTY ? sanitize(result.answer, { keepNewlines: true }) : result.answer;
    if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }
  return result.outcome.exitCode;
}

/** In another repository `last` is a run of that one, and would be applied in its place. */
function lastNames(repo: string): boolean {
  try {
    return isLastHere(repo);
  } catch {
    // A folder that cannot be looked at is told about when it is read.
    return false;
  }
}

/** Here Ctrl-C is an answer: the turn was ended by one already, and the run ends as interrupted. */
async function askNext(): Promise<string | undefined> {
  const next = await ask('Turn ended. What should it do instead? (empty ends the run) ');
  return next === INTERRUPTED ? undefined : next;
}

/** Loaded when there is a question: most runs have none. */
function atTerminal({ raise: interrupt }: Interrupts, display: Display): AskGate {
  const terminal = { keyboard: process.stdin, screen: process.stderr, display, interrupt };
  return async (question, signal) => {
    const { askAtTerminal } = await import('../gate/terminal-ask.ts');
    return askAtTerminal(terminal, question, signal);
  };
}

async function answersOnStdin(): Promise<AskGate> {
  const { StdinAsk } = await import('../gate/stdin-ask.ts');
  return new StdinAsk(process.stdin, (text) => say(`pi-sandbox: ${text}`)).ask;
}

/** Clears the terminal of what was still going on, so that a result or an error starts on a line of its own. */
function closing<T>(renderer: Renderer, work: Promise<T>): Promise<T> {
  return work.finally(() => renderer.close());
}

/** The answer is a result and goes to stdout, unless the same terminal has just shown it. */
function shouldPrintAnswer(quiet: boolean): boolean {
  return quiet || !process.stdout.isTTY || !process.stderr.isTTY;
}
