import type { FoundChange } from './compare.ts';

/**
 * Where an added file has the content of a deleted one, and neither content is there twice: the deleted path by the
 * added one. A guess, for people only.
 */
export function guessRenames(found: readonly FoundChange[]): Map<string, string> {
  const deleted = new Map<string, string | undefined>();
  const added = new Map<string, string | undefined>();
  for (const { key, change, before, after } of found) {
    const file = change.kind === 'add' ? after : change.kind === 'delete' ? before : undefined;
    if (file?.type !== 'file' || file.size === 0 || file.sha256 === undefined) continue;
    const side = change.kind === 'add' ? added : deleted;
    side.set(file.sha256, side.has(file.sha256) ? undefined : key);
  }
  const renames = new Map<string, string>();
  for (const [sha256, to] of added) {
    const from = deleted.get(sha256);
    if (to !== undefined && from !== undefined) renames.set(to, from);
  }
  return renames;
}
