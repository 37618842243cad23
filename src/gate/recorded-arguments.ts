import { MAX_RECORDED_BYTES } from './limits.ts';

/** Arguments for a record: as they are, or, when they are long, the beginning of their JSON under `truncated`. */
export function recordedArguments(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const json = JSON.stringify(given);
  if (Buffer.byteLength(json) <= MAX_RECORDED_BYTES) return { ...given };
  return { truncated: Buffer.from(json).subarray(0, MAX_RECORDED_BYTES).toString('utf8') };
}
