import { createHash } from 'node:crypto';
import type { ChangeSet } from '../protocol/changes.ts';

/** SHA-256 over a form of the change set that does not depend on the order of keys. */
export function changeSetDigest(set: Omit<ChangeSet, 'digest'>): string {
  return createHash('sha256').update(canonical(set)).digest('hex');
}

/** JSON with sorted keys, without the digest itself at the top. */
function canonical(set: object): string {
  const { digest: _, ...rest } = set as { digest?: unknown };
  return JSON.stringify(rest, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
