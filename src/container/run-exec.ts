import type { Readable } from 'node:stream';
import { SandboxError } from '../errors.ts';
import { withDeadline } from '../lib/deadline.ts';
import { demux } from './demux.ts';
import type { Engine, ExecSpec } from './engine.ts';

/** Variables of our own late commands: nothing of pi's. */
export const OWN_ENV = ['HOME=/nonexistent', 'PATH=/usr/bin:/bin', 'LC_ALL=C'];

export interface ExecResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Whether output was thrown away because it passed the limit. */
  readonly cut: boolean;
}

/**
 * Runs a short command of ours in the container and collects its output, at most `maxBytes` of each stream.
 * Rejects with SandboxError `engine` when it takes longer than `deadlineMs`.
 */
export async function runExec(
  engine: Engine,
  container: string,
  options: { uid: number; cmd: readonly string[]; maxBytes: number; deadlineMs: number },
): Promise<ExecResult> {
  const spec: ExecSpec = {
    user: `${options.uid}:${options.uid}`,
    workingDir: '/',
    env: OWN_ENV,
    cmd: options.cmd,
    stdin: false,
  };
  const exec = await engine.createExec(container, spec);
  const socket = await engine.startExec(exec, false);
  try {
    const streams = demux(socket);
    const collected = Promise.all([
      collect(streams.stdout, options.maxBytes),
      collect(streams.stderr, options.maxBytes),
      streams.done,
    ]);
    const [stdout, stderr] = await withDeadline(`the command ${options.cmd[0]}`, options.deadlineMs, collected);
    const { exitCode } = await engine.execState(exec);
    return { exitCode, stdout: stdout.data, stderr: stderr.data, cut: stdout.cut || stderr.cut };
  } catch (cause) {
    throw cause instanceof SandboxError
      ? cause
      : new SandboxError('engine', `A command of ours in the container failed: ${options.cmd[0]}.`, { cause });
  } finally {
    socket.destroy();
  }
}

async function collect(stream: Readable, maxBytes: number): Promise<{ data: Buffer; cut: boolean }> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes < maxBytes) parts.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
  }
  return { data: Buffer.concat(parts), cut: bytes > maxBytes };
}
