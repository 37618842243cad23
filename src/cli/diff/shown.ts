import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { makePatch, type Patch } from '../../changes/patch.ts';
import type { ChangeStore } from '../../changes/store.ts';
import type { Change, ChangeSet } from '../../protocol/changes.ts';
import { say } from '../print.ts';

/** What a form of `diff` works on. */
export interface Shown {
  readonly set: ChangeSet;
  /** The changes that were asked for. */
  readonly changes: readonly Change[];
  /** The paths that were named; none: all. */
  readonly named: readonly string[];
  /** The patch of some of them. */
  readonly patchOf: (changes: readonly Change[]) => Promise<Patch>;
}

/** Makes patches below a scratch folder of ours. */
export function patchesIn(folder: string, store: ChangeStore, signal: AbortSignal): Shown['patchOf'] {
  let count = 0;
  return async (changes) => {
    const own = path.join(folder, `${count++}`);
    await mkdir(own, { mode: 0o700 });
    return makePatch(store, changes, { folder: own, signal });
  };
}

/** Words beside a result that does not say so itself. */
export function sayWhatIsMissing({ set }: Pick<Shown, 'set'>): void {
  if (set.outcome === 'partial') say(`PARTIAL: this is not all that the agent changed. ${set.reasons.join(' ')}`);
  if (set.refusedCount > 0)
    say(`${set.refusedCount} not handed back; "pi-sandbox diff ${set.run}" says which and why.`);
}
