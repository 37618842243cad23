import { statfsSync } from 'node:fs';
import type { GuardLimits } from '../../src/protocol/guest.ts';
import type { CapLimit } from './guard-entry.ts';

/**
 * Output bytes that pi may still write to its temp folder. pi ends when that folder is full, so what running calls
 * were already granted counts as written even where it still sits in a buffer.
 */
export class SpillBudget {
  readonly #limits: GuardLimits;
  readonly #freeBytes: () => number;
  #spentInRun = 0;
  #inFlight = 0;

  constructor(limits: GuardLimits, freeBytes: () => number) {
    this.#limits = limits;
    this.#freeBytes = freeBytes;
  }

  /** Grants `bytes` more to a call that was granted `already`, or names the limit that is in the way. */
  grant(bytes: number, already: number): CapLimit | undefined {
    if (already + bytes > this.#limits.spillBytesPerCall) return 'call';
    if (this.#spentInRun + bytes > this.#limits.spillBytesPerRun) return 'run';
    if (bytes > this.#freeBytes() - this.#limits.spillReserveBytes - this.#inFlight) return 'space';
    this.#spentInRun += bytes;
    this.#inFlight += bytes;
    return undefined;
  }

  /** Says that a call has ended, so what it was granted is on disk. */
  ended(granted: number): void {
    this.#inFlight -= granted;
  }
}

/** Free bytes of the file system of a folder; none when it cannot be asked. */
export function freeBytesOf(folder: string): number {
  try {
    const stats = statfsSync(folder);
    return stats.bavail * stats.bsize;
  } catch {
    return 0;
  }
}
