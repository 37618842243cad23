import type { Check } from '../../protocol/doctor-report.ts';

export type { Check } from '../../protocol/doctor-report.ts';
export type Level = Check['level'];

export function ok(id: string, found: string, meaning?: string): Check {
  return { id, level: 'ok', found, ...(meaning === undefined ? {} : { meaning }) };
}

export function warn(id: string, found: string, meaning: string, advice?: string): Check {
  return { id, level: 'warn', found, meaning, ...(advice === undefined ? {} : { advice }) };
}

export function fail(id: string, found: string, meaning: string, advice?: string): Check {
  return { id, level: 'fail', found, meaning, ...(advice === undefined ? {} : { advice }) };
}
