import type { Engine } from '../container/engine.ts';
import type { GatewayDelta } from '../gateway/gateway.ts';
import { OneAtATime } from '../lib/one-at-a-time.ts';
import type { AskGate } from '../protocol/gate.ts';
import type { SandboxRecord } from '../protocol/record.ts';
import type { RunHost } from '../run.ts';
import { currentFolder } from './current-folder.ts';
import { ensureImage, wantedImage } from './ensure-image.ts';
import { environment } from './environment.ts';
import { InOrder } from './in-order.ts';
import type { Interrupts } from './interrupts.ts';
import { FlatMemory } from './memory.ts';
import { printJsonLine } from './print.ts';
import type { Renderer } from './render.ts';

export interface HostOptions {
  readonly interrupts: Interrupts;
  /** The connection, under way already. */
  readonly engine: Promise<Engine>;
  /** Writes everything that a person sees of the run; a quiet one where records go to stdout. */
  readonly renderer: Renderer;
  readonly json: boolean;
  readonly askNext?: () => Promise<string | undefined>;
  /** Answers the questions of the policy, at the terminal or elsewhere; one of the two at most. */
  readonly askAtTerminal?: AskGate;
  readonly askElsewhere?: AskGate;
}

/** The outside world of a run, as the command line sees it: human text on stderr, results on stdout. */
export function runHost(options: HostOptions): RunHost {
  const { interrupts, engine, renderer, json, askNext, askAtTerminal, askElsewhere } = options;
  const transcript = new InOrder(renderer);
  const memory = new FlatMemory();
  // Its files are read while the engine is asked; who asks for the image hears of a failure.
  const wanted = wantedImage();
  wanted.catch(() => {});
  const alone = new OneAtATime();
  const atTerminal = <T>(work: () => Promise<T>): Promise<T> =>
    alone.run(() => withTerminal(transcript, renderer, work));
  const step = (line: string): void => renderer.notice(line);
  return {
    env: environment.env,
    environment: () => environment.all,
    cwd: currentFolder(),
    stateRoot: environment.stateRoot,
    homeDir: environment.homeDir,
    ...environment.forPolicy,
    piFolder: environment.piFolder,
    machine: environment.machine,
    now: () => new Date(),
    connect: () => engine,
    ensureImage: (engine: Engine, asked, signal) => ensureImage(engine, asked, signal, step, wanted),
    onInterrupt: interrupts.listen,
    onImpatient: (kind) => {
      step('Leaving at once. The container ends by itself; the next pi-sandbox command removes what is left.');
      process.exit(kind === 'SIGINT' ? 130 : 143);
    },
    onRecord: (record) => {
      // The first one after what a start waits for.
      if (record.type === 'imported') memory.begin();
      if (interrupts.outputGone) return undefined;
      if (json) return writeLine(record);
      transcript.record(record);
      return undefined;
    },
    onDelta: (delta) => {
      if (!json && !interrupts.outputGone) showDelta(transcript, delta);
    },
    progress: (text) => {
      memory.begin();
      renderer.status(text);
    },
    onPassed: (bytes) => memory.passed(bytes),
    warn: (text) => step(`pi-sandbox: ${text}`),
    ...(askNext === undefined ? {} : { askNext: () => atTerminal(askNext) }),
    ...(askElsewhere === undefined ? {} : { askGate: askElsewhere }),
    ...(askAtTerminal === undefined
      ? {}
      : { askGate: (question, signal) => atTerminal(() => askAtTerminal(question, signal)) }),
  };
}

/** Waits when the reader of stdout is slower than pi. */
function writeLine(record: SandboxRecord): Promise<void> | undefined {
  if (printJsonLine(record)) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      process.stdout.off('drain', done);
      process.stdout.off('close', done);
      process.stdout.off('error', done);
      resolve();
    };
    process.stdout.once('drain', done);
    process.stdout.once('close', done);
    process.stdout.once('error', done);
  });
}

/** A question writes to the terminal itself, so it starts on a line of its own, and all else waits until it is over. */
async function withTerminal<T>(transcript: InOrder, renderer: Renderer, ask: () => Promise<T>): Promise<T> {
  transcript.close();
  renderer.wait();
  try {
    return await ask();
  } finally {
    renderer.goOn();
  }
}

function showDelta(transcript: InOrder, delta: GatewayDelta): void {
  if (delta.type !== 'text' && delta.type !== 'thinking') return;
  transcript.delta({ call: delta.call, kind: delta.type, text: delta.delta });
}
