import { setTimeout as delay } from 'node:timers/promises';
import { GiB } from '../lib/bytes.ts';
import type { Engine } from './engine.ts';
import { runExec } from './run-exec.ts';

/** Time between two looks, and how long one may take, milliseconds. */
const LOOK_EVERY_MS = 5_000;
const LOOK_MS = 30_000;
/** Looks that may fail in a row: the agent can kill them. */
const MAX_FAILED_LOOKS = 3;
/** Space that is left to everybody else on the engine's disk, bytes. */
const DISK_RESERVE = GiB;

export interface WatchedVolume {
  readonly engine: Engine;
  readonly container: string;
  readonly uid: number;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Watches a volume for which the engine has no quota, until `signal` aborts. Returns why the run has to end, or
 * undefined. The sizes come from programs of the read-only image; what they cannot see (a deleted file that is still
 * open) shows as free space that shrinks.
 */
export async function watchDisk(volume: WatchedVolume, signal: AbortSignal): Promise<string | undefined> {
  let failed = 0;
  while (!signal.aborted) {
    const seen = await look(volume).catch(() => undefined);
    if (signal.aborted) return undefined;
    failed = seen === undefined ? failed + 1 : 0;
    if (failed > MAX_FAILED_LOOKS) return 'the size of the workspace on disk could not be watched any more';
    if (seen !== undefined && seen.used > volume.size) {
      return `the workspace on disk grew to ${seen.used} bytes, more than ${volume.size} (--disk)`;
    }
    if (seen !== undefined && seen.free < DISK_RESERVE) return `the engine's disk has only ${seen.free} bytes left`;
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

async function look({
  engine,
  container,
  uid,
  path,
}: WatchedVolume): Promise<{ used: number; free: number } | undefined> {
  const result = await runExec(engine, container, {
    uid,
    cmd: ['/bin/bash', '-c', `/usr/bin/df -B1 --output=avail ${path}; /usr/bin/du -s -B1 ${path} 2>/dev/null`],
    maxBytes: 4_096,
    deadlineMs: LOOK_MS,
  });
  const numbers = result.stdout
    .toString('latin1')
    .match(/^\s*\d+/gm)
    ?.map(Number);
  const [free, used] = numbers ?? [];
  return free === undefined || used === undefined ? undefined : { used, free };
}
