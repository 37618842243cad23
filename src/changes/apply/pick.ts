import { parsePath, showPath } from '../../lib/path-bytes.ts';
import type { Change } from '../../protocol/changes.ts';
import { foldersAbove } from './path-parts.ts';

/** The picked changes with the new folders that they lie in, in the order of the set. */
export function withNeededFolders(all: readonly Change[], picked: readonly Change[]): Change[] {
  if (picked.length === all.length) return [...all];
  const wanted = new Set(picked.map(({ path }) => path));
  for (const { path, after } of picked) {
    if (after !== undefined) for (const folder of foldersAbove(parsePath(path))) wanted.add(showPath(folder));
  }
  const chosen = new Set(picked);
  return all.filter((change) => chosen.has(change) || (change.after?.type === 'dir' && wanted.has(change.path)));
}
