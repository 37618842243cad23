import { createHash } from 'node:crypto';
import { exceedsDepth } from '../lib/json-depth.ts';
import { QUESTION_JSON } from './limits.ts';

/**
 * SHA-256 of arguments as JSON with sorted keys: equal exactly if the arguments are. Undefined for what nests too deeply
 * to be compared.
 */
export function argumentsDigest(value: Readonly<Record<string, unknown>>): string | undefined {
  const json = JSON.stringify(value);
  if (exceedsDepth(Buffer.from(json), QUESTION_JSON.depth)) return undefined;
  // Parsed once more, so that both sides went through JSON: -0 is 0, and what is undefined is not there.
  const hash = createHash('sha256');
  hash.update(canonical(JSON.parse(json)));
  return hash.digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join()}}`;
}
