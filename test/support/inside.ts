import { buffer } from 'node:stream/consumers';
import { demux } from '../../src/container/demux.ts';
import type { Engine } from '../../src/container/engine.ts';
import { withDeadline } from '../../src/lib/deadline.ts';

export interface Inside {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const DEADLINE_MS = 90_000;
const ENV = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/pi-sandbox/bin',
  'LC_ALL=C',
  'HOME=/home/agent',
];

/** Runs a bash script in a container through the engine, with this user and input. A script that takes too long is an error. */
export async function inside(
  engine: Engine,
  container: string,
  options: { uid: number; script: string; input?: string; deadlineMs?: number },
): Promise<Inside> {
  const exec = await engine.createExec(container, {
    user: `${options.uid}:${options.uid}`,
    workingDir: '/',
    env: ENV,
    cmd: ['/bin/bash', '-c', options.script],
    stdin: true,
  });
  const socket = await engine.startExec(exec, true);
  try {
    const streams = demux(socket);
    socket.end(options.input ?? '');
    const read = Promise.all([buffer(streams.stdout), buffer(streams.stderr), streams.done]);
    const [stdout, stderr] = await withDeadline('a script in the container', options.deadlineMs ?? DEADLINE_MS, read);
    const { exitCode } = await engine.execState(exec);
    return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
  } finally {
    socket.destroy();
  }
}
