import path from 'node:path';
import { controllerAlive } from '../../container/ownership.ts';
import { formatBytes } from '../../lib/format.ts';
import type { SandboxRecord } from '../../protocol/record.ts';
import { controlSocket } from '../../run/recover.ts';
import { followTranscript } from '../../transcript/follow-transcript.ts';
import { readTranscript, type TornLine } from '../../transcript/read-transcript.ts';
import { readOutcome } from '../../transcript/run-list.ts';
import { TRANSCRIPT_FILE } from '../../transcript/transcript.ts';
import { environment } from '../environment.ts';
import { InOrder } from '../in-order.ts';
import type { Interrupts } from '../interrupts.ts';
import { pickRun } from '../pick-run.ts';
import { printJsonLine, say, stdoutReady } from '../print.ts';
import { recoverFirst } from '../recover-first.ts';
import { Renderer } from '../render.ts';

export interface LogsOptions {
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** `pi-sandbox logs`: a transcript, whole, and with `follow` as it grows until the run's outcome. */
export async function logs(ref: string, options: LogsOptions, interrupts: Interrupts): Promise<number> {
  await recoverFirst();
  const { id, folder } = pickRun(ref);
  const { stateRoot } = environment;
  const file = path.join(folder, TRANSCRIPT_FILE);
  const stopped = new AbortController();
  let exitCode = 0;
  using _listening = listen(interrupts, (code) => {
    exitCode = code;
    stopped.abort();
  });
  const isLive = (): Promise<boolean> => controllerAlive(controlSocket(stateRoot, id));
  const source =
    options.follow === true ? followTranscript(file, { signal: stopped.signal, isLive }) : readTranscript(file);
  const ended = await print(source, options.json === true, stopped.signal, id);
  if (stopped.signal.aborted || ended) return exitCode;
  // A controller that was killed writes no last record; what it owes may have been written since.
  const outcome = readOutcome(stateRoot, id);
  if (outcome !== undefined) say(`The run ended: ${outcome.outcome.replaceAll('_', ' ')}: ${outcome.reason}`);
  else if (!(await isLive())) say('The run has no outcome: its controller is gone.');
  return exitCode;
}

/** Returns whether the outcome was among what was printed. */
async function print(
  source: AsyncIterable<SandboxRecord | TornLine>,
  json: boolean,
  signal: AbortSignal,
  run: string,
): Promise<boolean> {
  const renderer = new InOrder(new Renderer(process.stdout, { ...environment.display(process.stdout), quiet: false }));
  let ended = false;
  let last: Pick<SandboxRecord, 'seq' | 'time'> = { seq: 1, time: new Date().toISOString() };
  for await (const record of source) {
    if (signal.aborted) break;
    if (isTorn(record)) {
      const message = `${formatBytes(record.bytes)} of the transcript are damaged and were passed over`;
      if (json) say(`pi-sandbox: ${message}`);
      else renderer.record({ v: 1, ...last, run, source: 'observed', type: 'transcript', message });
    } else {
      last = { seq: record.seq, time: record.time };
      ended ||= record.type === 'outcome';
      if (json) printJsonLine(record);
      else renderer.record(record);
    }
    await stdoutReady();
  }
  renderer.close();
  return ended;
}

function isTorn(record: SandboxRecord | TornLine): record is TornLine {
  return !('v' in record);
}

/** Ctrl-C and a reader that goes away end the printing; neither is worth a word. */
function listen(interrupts: Interrupts, stop: (exitCode: number) => void): Disposable {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 0, stop: 0 } as const;
  const unsubscribe = interrupts.listen((kind) => stop(codes[kind]));
  return { [Symbol.dispose]: unsubscribe };
}
