import { Check } from '@sinclair/typebox/value';
import { SandboxRecord } from '../protocol/record.ts';

export function isRecord(value: unknown): value is SandboxRecord {
  return Check(SandboxRecord, value);
}

/** A line of `events.jsonl`; undefined when it is damaged. */
export function parseRecord(line: Buffer): SandboxRecord | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
