import type { Readable } from 'node:stream';
import { demux } from '../container/demux.ts';
import type { Engine } from '../container/engine.ts';
import { SandboxError } from '../errors.ts';

/** Reads one file of the container as pi's user, whole. Root has no capabilities there and could not. */
export async function readInside(engine: Engine, container: string, uid: number, path: string): Promise<Readable> {
  const exec = await engine.createExec(container, {
    user: `${uid}:${uid}`,
    workingDir: '/',
    env: ['PATH=/usr/bin:/bin', 'HOME=/nonexistent'],
    cmd: ['/bin/cat', '--', path],
    stdin: false,
  });
  const socket = await engine.startExec(exec, false);
  const { stdout, stderr } = demux(socket);
  stderr.resume();
  stdout.once('close', () => socket.destroy());
  return stdout;
}

/** The error for a call whose output was never spilled, in words that help. */
export function noFullOutput(call: string): SandboxError {
  return new SandboxError('usage', `Nothing more than the transcript has is known of call ${call}.`, {
    hint: 'Only bash output that was cut has a full copy; see "pi-sandbox logs" for the calls.',
  });
}
