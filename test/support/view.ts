import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Engine } from '../../src/container/engine.ts';
import { runExec } from '../../src/container/run-exec.ts';

const DEADLINE_MS = 30_000;
const MAX_BYTES = 1 << 20;
const LISTENING = '0A';

/** Output of a short command in a container, started by the engine as this user. Anything but exit code 0 is an error. */
export async function execIn(engine: Engine, container: string, uid: number, ...cmd: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runExec(engine, container, {
    uid,
    cmd,
    maxBytes: MAX_BYTES,
    deadlineMs: DEADLINE_MS,
  });
  if (exitCode !== 0) throw new Error(`${cmd.join(' ')} ended with ${exitCode}: ${stderr}`);
  return stdout.toString();
}

/** A path of a container as the host sees it. Only root may look. */
export async function hostPath(engine: Engine, container: string, path: string): Promise<string> {
  const state = await engine.state(container);
  if (state === undefined || state.pid === 0) throw new Error(`${container} does not run`);
  return `/proc/${state.pid}/root${path}`;
}

/** Local addresses of TCP sockets on which a process of this host listens, as /proc/net/tcp shows them. */
export function listeningSockets(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        // Closed between listing and reading.
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTENING && inodes.has(fields[9] ?? ''))
      .map((fields) => fields[1] ?? ''),
  );
}
