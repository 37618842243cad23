/** `ok`, `warn` (a run can start, but you should know), `fail` (no run can start). */
export type Level = 'ok' | 'warn' | 'fail';

/** One thing that doctor looked at. */
export interface Check {
  /** Stable name, kebab-case. */
  readonly id: string;
  readonly level: Level;
  /** What was found, one sentence or less. */
  readonly found: string;
  /** What it means for a run. */
  readonly meaning?: string;
  /** What to do about it. */
  readonly advice?: string;
}

export function ok(id: string, found: string, meaning?: string): Check {
  return { id, level: 'ok', found, ...(meaning === undefined ? {} : { meaning }) };
}

export function warn(id: string, found: string, meaning: string, advice?: string): Check {
  return { id, level: 'warn', found, meaning, ...(advice === undefined ? {} : { advice }) };
}

export function fail(id: string, found: string, meaning: string, advice?: string): Check {
  return { id, level: 'fail', found, meaning, ...(advice === undefined ? {} : { advice }) };
}
