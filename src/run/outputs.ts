import { pipeline, Readable } from 'node:stream';
import { demux } from '../container/demux.ts';
import type { Engine } from '../container/engine.ts';
import { execExit } from '../container/exec-exit.ts';
import type { StartedSandbox } from '../container/start.ts';
import { SandboxError } from '../errors.ts';
import { GiB } from '../lib/bytes.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { Prepared } from './prepare.ts';

/** Most that is read of one file, bytes: more than the folder can hold, and an end for what has none. */
const MAX_OUTPUT_BYTES = GiB;
/** The path is pi's word: a pipe would block for ever, and a link may lead to a device without an end. */
const READ_REGULAR = '[ -f "$1" ] && [ ! -L "$1" ] && exec /usr/bin/head -c "$2" -- "$1"';

/**
 * Reads one file of the container as pi's user, at most `maxBytes`. Root has no capabilities there and could not. The
 * stream fails when the file is not a regular one or could not be read, also when the container went away meanwhile.
 */
export async function readInside(
  source: { readonly engine: Engine; readonly container: string; readonly uid: number },
  path: string,
  maxBytes: number,
): Promise<Readable> {
  const { engine, container, uid } = source;
  const exec = await engine.createExec(container, {
    user: `${uid}:${uid}`,
    workingDir: '/',
    env: ['PATH=/usr/bin:/bin', 'HOME=/nonexistent'],
    cmd: ['/bin/bash', '-c', READ_REGULAR, 'read', path, String(maxBytes)],
    stdin: false,
  });
  const socket = await engine.startExec(exec, false);
  const { stdout, stderr } = demux(socket);
  stderr.resume();
  const whole = async function* (): AsyncGenerator<Buffer, void> {
    try {
      yield* stdout as AsyncIterable<Buffer>;
      const code = await execExit(engine, exec);
      if (code === 0) return;
      throw new SandboxError('engine', `${path} could not be read in the container (exit code ${code ?? 'unknown'}).`);
    } finally {
      socket.destroy();
    }
  };
  return Readable.from(whole(), { objectMode: false });
}

/** Full output of a call out of the live container, redacted. Rejects with SandboxError `usage` when there is none. */
export async function liveOutput(
  { engine, redaction }: Pick<Prepared, 'engine' | 'redaction'>,
  started: { readonly sandbox: StartedSandbox; readonly plan: RunPlan } | undefined,
  { call, path }: { readonly call: string; readonly path: string | undefined },
): Promise<Readable> {
  if (path === undefined || started === undefined) throw noFullOutput(call);
  const source = { engine, container: started.sandbox.container, uid: started.plan.container.agentUid };
  // Its error is the error of what is returned.
  return pipeline(await readInside(source, path, MAX_OUTPUT_BYTES), redaction.bytes(), () => {});
}

/** The error for a call whose output was never spilled, in words that help. */
function noFullOutput(call: string): SandboxError {
  return new SandboxError('usage', `Nothing more than the transcript has is known of call ${call}.`, {
    hint: 'Only bash output that was cut has a full copy; see "pi-sandbox logs" for the calls.',
  });
}
