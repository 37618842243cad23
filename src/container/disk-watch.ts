import { setTimeout as delay } from 'node:timers/promises';
import { GiB } from '../lib/bytes.ts';
import type { Engine } from './engine.ts';
import { runExec } from './run-exec.ts';

/** Time between two looks, and how long one may take, milliseconds. */
const LOOK_EVERY_MS = 5_000;
const LOOK_MS = 30_000;
const MAX_ANSWER_BYTES = 4_096;
/** Looks that may fail in a row: the agent can kill them. */
const MAX_FAILED_LOOKS = 3;
/** Space that is left to everybody else on the engine's disk, bytes. */
const DISK_RESERVE = GiB;
/** How far the free space may shrink beyond the limit before it counts as the workspace's doing: others write there too. */
const OTHERS = 2 * GiB;

export interface WatchedVolume {
  readonly engine: Engine;
  readonly container: string;
  /** Users of the bridge and of pi. */
  readonly bridgeUid: number;
  readonly agentUid: number;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Watches a volume for which the engine has no quota, until `signal` aborts. Returns why the run has to end, or
 * undefined. Two figures: the size of the files, which only pi's user can add up, so that pi's own processes can forge
 * it; and the free space of the disk, asked as the bridge's user, which they cannot, but which others change too.
 */
export async function watchDisk(volume: WatchedVolume, signal: AbortSignal): Promise<string | undefined> {
  let failed = 0;
  let freeAtFirst: number | undefined;
  while (!signal.aborted) {
    const free = await freeSpace(volume).catch(() => undefined);
    const used = await usedSpace(volume).catch(() => undefined);
    if (signal.aborted) return undefined;
    failed = free === undefined || used === undefined ? failed + 1 : 0;
    if (failed > MAX_FAILED_LOOKS) return 'the size of the workspace on disk could not be watched any more';
    if (used !== undefined && used > volume.size) {
      return `the workspace on disk grew to ${used} bytes, more than ${volume.size} (--disk)`;
    }
    if (free !== undefined) {
      freeAtFirst ??= free;
      if (free < DISK_RESERVE) return `the engine's disk has only ${free} bytes left`;
      const shrunk = freeAtFirst - free;
      if (shrunk > volume.size + OTHERS) return `the free space of the engine's disk shrank by ${shrunk} bytes`;
    }
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

function freeSpace({ engine, container, bridgeUid, path }: WatchedVolume): Promise<number | undefined> {
  return ask(engine, container, bridgeUid, ['/usr/bin/df', '-B1', '--output=avail', path]);
}

function usedSpace({ engine, container, agentUid, path }: WatchedVolume): Promise<number | undefined> {
  return ask(engine, container, agentUid, ['/usr/bin/du', '-s', '-B1', path]);
}

/** The first number that a command of the image prints at the start of a line. */
async function ask(
  engine: Engine,
  container: string,
  uid: number,
  cmd: readonly string[],
): Promise<number | undefined> {
  const result = await runExec(engine, container, { uid, cmd, maxBytes: MAX_ANSWER_BYTES, deadlineMs: LOOK_MS });
  const number = /^[ \t]*(\d+)/m.exec(result.stdout.toString('latin1'))?.[1];
  return number === undefined ? undefined : Number(number);
}
