import { existsSync } from 'node:fs';
import path from 'node:path';
import { SandboxError } from '../errors.ts';

/** Lies in the folder of a run whose apply goes on, or was cut off. */
export const JOURNAL = 'apply.journal';

/**
 * Whether an apply of this run goes on, or was cut off and is not undone yet. Then only the run folder knows where the
 * files lie that it moved aside.
 */
export function hasOpenApply(runFolder: string): boolean {
  return existsSync(path.join(runFolder, JOURNAL));
}

/** @throws SandboxError `refused` */
export function refuseOpenApply(run: string, runFolder: string, hint: string): void {
  if (!hasOpenApply(runFolder)) return;
  throw new SandboxError(
    'refused',
    `An apply of run ${run} goes on, or was cut off and could not be undone yet: what it moved aside is on record there alone.`,
    { hint },
  );
}
