import { GiB, KiB, MiB, roundUp } from '../lib/bytes.ts';

/** Sizes of a container, bytes and counts. */
export interface Sizes {
  readonly workspace: number;
  readonly workspaceInodes: number;
  readonly temp: number;
  readonly spill: number;
  readonly home: number;
  readonly memory: number;
  /** Whether the workspace is in memory, or on a disk volume. */
  readonly inMemory: boolean;
}

/** Room that the agent gets beside the files it was given: builds, installs, edits. */
const WORKSPACE_HEADROOM = 256 * MiB;
const WORKSPACE_INODES = 65_536;
/** What a file costs in a tmpfs beside its content. */
const BYTES_PER_FILE = 4 * KiB;
const TEMP = 128 * MiB;
const SPILL = 64 * MiB;
const HOME = 64 * MiB;
/** Memory for processes, beside what the in-memory folders can hold. */
const PROCESS_MEMORY = 1.5 * GiB;
/** Of the engine's memory, at most this share may go to one workspace. */
const WORKSPACE_SHARE = 0.5;

export interface Measured {
  /** Regular files. */
  readonly files: number;
  /** Files, folders and links: each takes an inode. */
  readonly entries: number;
  readonly bytes: number;
}

/** Sizes that fit a repository of this size. `disk` and `memory` are the user's own wishes, bytes. */
export function sizesFor(
  measured: Measured,
  wishes: { disk?: number | undefined; memory?: number | undefined },
  engineMemory: number,
): Sizes {
  const content = 2 * measured.bytes + measured.entries * BYTES_PER_FILE;
  const workspace = wishes.disk ?? roundUp(content + WORKSPACE_HEADROOM, MiB);
  const inMemory = workspace <= largestWorkspace(engineMemory);
  const folders = (inMemory ? workspace : 0) + TEMP + SPILL + HOME;
  return {
    workspace,
    workspaceInodes: WORKSPACE_INODES + 3 * measured.entries,
    temp: TEMP,
    spill: SPILL,
    home: HOME,
    memory: wishes.memory ?? roundUp(folders + PROCESS_MEMORY, MiB),
    inMemory,
  };
}

/** The least workspace that can hold what is copied in, bytes. */
export function leastWorkspace(measured: Measured): number {
  return roundUp(measured.bytes + measured.entries * BYTES_PER_FILE + MiB, MiB);
}

/** Largest workspace in memory on an engine with this much memory, bytes. */
export function largestWorkspace(engineMemory: number): number {
  return Math.floor(engineMemory * WORKSPACE_SHARE);
}
