import { unlinkSync } from 'node:fs';
import { parsePath } from '../../lib/path-bytes.ts';
import type { Change } from '../../protocol/changes.ts';
import { manifestKey } from '../../protocol/manifest.ts';
import { codeOf } from './code-of.ts';
import { type Step, syncFolder } from './journal.ts';
import { executes, isIn, look, sizesOf } from './look.ts';
import { folderOf, nameOf } from './path-parts.ts';
import { FolderProblem, type TargetTree } from './tree.ts';
import { oldPath } from './undo.ts';

/** What was written and removed in these folders is on disk when this returns. */
export function syncFolders(tree: TargetTree, folders: readonly Buffer[]): void {
  for (const folder of new Map(folders.map((one) => [manifestKey(one), one])).values()) {
    try {
      tree.within(folder, (_at, fd) => syncFolder(fd));
    } catch (error) {
      // Removed itself: then its parent is among them.
      if (!(error instanceof FolderProblem)) throw error;
    }
  }
}

/** Reads a path back. False: it is not in the end state. */
export function isApplied(tree: TargetTree, { path: shown, before, after }: Change): boolean {
  const path = parsePath(shown);
  try {
    return tree.within(folderOf(path), (at) => {
      const seen = look(at(nameOf(path)), sizesOf(after));
      // A folder that held more than was sent in stays.
      if (after === undefined && before?.type === 'dir') return seen.type === 'none' || seen.type === 'dir';
      if (!isIn(seen, after)) return false;
      if (after?.type !== 'file' || seen.type !== 'file') return true;
      const bitMatters = before?.type !== 'file' || before.executable !== after.executable;
      return !bitMatters || executes(seen.mode) === after.executable;
    });
  } catch (error) {
    if (error instanceof FolderProblem && after === undefined) return true;
    if (error instanceof FolderProblem) return false;
    throw error;
  }
}

/** Removes the old contents. One that was written to meanwhile is left, and named in what is returned. */
export function removeOld(tree: TargetTree, steps: readonly Step[]): string[] {
  const left: string[] = [];
  for (const step of steps) {
    const { home, old, before, path } = step;
    if (old === undefined) continue;
    try {
      tree.within(parsePath(home), (at) => {
        const place = at(Buffer.from(old));
        const seen = look(place, sizesOf(before));
        if (seen.type === 'none') return;
        if (isIn(seen, before)) unlinkSync(place);
        else left.push(`${path} was written to while it was replaced; that content is in ${oldPath(step)}.`);
      });
    } catch (error) {
      left.push(`${oldPath(step)} could not be removed: ${codeOf(error) ?? String(error)}.`);
    }
  }
  return left;
}
