import type { Engine } from '../container/engine.ts';
import type { GatewayDelta } from '../gateway/gateway.ts';
import type { SandboxRecord } from '../protocol/record.ts';
import type { RunHost } from '../run.ts';
import { connectEngine } from './connect.ts';
import { ensureImage } from './ensure-image.ts';
import { environment } from './environment.ts';
import { InOrder } from './in-order.ts';
import type { Interrupts } from './interrupts.ts';
import type { Progress } from './progress.ts';
import { Renderer } from './render.ts';

export interface HostOptions {
  readonly interrupts: Interrupts;
  readonly progress: Progress;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly askNext?: () => Promise<string | undefined>;
}

/** The outside world of a run, as the command line sees it: human text on stderr, results on stdout. */
export function runHost({ interrupts, progress, json, quiet, askNext }: HostOptions): RunHost {
  const renderer = new InOrder(new Renderer(process.stderr, { color: environment.color(process.stderr), quiet }));
  const step = (line: string): void => progress.step(line);
  return {
    env: environment.env,
    cwd: process.cwd(),
    stateRoot: environment.stateRoot,
    homeDir: environment.homeDir,
    machine: environment.machine,
    now: () => new Date(),
    connect: connectEngine,
    ensureImage: (engine: Engine, asked, signal) => ensureImage(engine, asked, signal, step),
    onInterrupt: interrupts.listen,
    onImpatient: (kind) => {
      progress.step('Leaving at once. The container ends by itself; the next pi-sandbox command removes what is left.');
      process.exit(kind === 'SIGINT' ? 130 : 143);
    },
    onRecord: (record) => {
      progress.clear();
      if (interrupts.outputGone) return undefined;
      if (json) return writeLine(record);
      renderer.record(record);
      return undefined;
    },
    onDelta: (delta) => {
      progress.clear();
      if (!json && !interrupts.outputGone) showDelta(renderer, delta);
    },
    progress: (text) => progress.update(text),
    warn: (text) => progress.step(`pi-sandbox: ${text}`),
    ...(askNext === undefined ? {} : { askNext }),
  };
}

/** Waits when the reader of stdout is slower than pi. */
function writeLine(record: SandboxRecord): Promise<void> | undefined {
  if (process.stdout.write(`${JSON.stringify(record)}\n`)) return undefined;
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

function showDelta(renderer: InOrder, delta: GatewayDelta): void {
  if (delta.type !== 'text' && delta.type !== 'thinking') return;
  renderer.delta({ call: delta.call, kind: delta.type, text: delta.delta });
}
