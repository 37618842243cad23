import type { Change } from '../protocol/changes.ts';

/**
 * Changes that another does not tell already: without folders that only came or went together with something in them.
 * What is told and counted is these; what is applied is all.
 */
export function withoutImpliedFolders(changes: readonly Change[]): Change[] {
  const bare = bareFolders(changes);
  return changes.filter((change) => !isOnlyFolder(change) || bare.has(change.path));
}

/** Folders that came or went with nothing in them, by the shown path. */
export function bareFolders(changes: readonly Change[]): Set<string> {
  const bare = new Set<string>();
  for (const side of ['before', 'after'] as const) {
    const parents = parentsOf(changes, side);
    for (const change of changes) {
      if (change[side]?.type === 'dir' && !parents.has(change.path)) bare.add(change.path);
    }
  }
  return bare;
}

function isOnlyFolder({ before, after }: Change): boolean {
  return [before, after].every((state) => state === undefined || state.type === 'dir');
}

/** All folders above what is there on one side. */
function parentsOf(changes: readonly Change[], side: 'before' | 'after'): Set<string> {
  const parents = new Set<string>();
  for (const change of changes) {
    const state = change[side];
    if (state === undefined) continue;
    for (let at = change.path.lastIndexOf('/'); at > 0; at = change.path.lastIndexOf('/', at - 1)) {
      const parent = change.path.slice(0, at);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  return parents;
}
