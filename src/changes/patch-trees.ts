import { parsePath } from '../lib/path-bytes.ts';
import type { NotInPatch } from '../protocol/change-view.ts';
import type { Change, FileState } from '../protocol/changes.ts';
import { MAX_PATCH_FILE_BYTES } from './limits.ts';
import type { ChangeStore } from './store.ts';

/** One file of a tree that git is given. */
export interface TreeFile {
  readonly path: Buffer;
  readonly mode: '100644' | '100755' | '120000';
  /** The content itself, or where it is among the blobs. */
  readonly content: Buffer | { readonly sha256: string; readonly size: number };
}

/** The changed paths as they were and as they are; everything that did not change is left out. */
export interface PatchTrees {
  readonly before: readonly TreeFile[];
  readonly after: readonly TreeFile[];
  readonly left: readonly NotInPatch[];
}

const NOTHING = Buffer.alloc(0);

export function patchTrees(changes: readonly Change[], store: ChangeStore): PatchTrees {
  const before: TreeFile[] = [];
  const after: TreeFile[] = [];
  const left: NotInPatch[] = [];
  const folders = { before: parentsOf(changes, 'before'), after: parentsOf(changes, 'after') };
  for (const change of changes) {
    const why = problemOf(change, store);
    if (why !== undefined) {
      left.push({ path: change.path, why });
      continue;
    }
    const path = parsePath(change.path);
    // Only the bit differs, so neither content is needed, nor asked for by a patch.
    const side = change.kind === 'mode' ? emptied : sideOf;
    const old = side(change.before);
    const now = side(change.after);
    if (old !== undefined) before.push({ path, ...old });
    if (now !== undefined) after.push({ path, ...now });
    if (isLostFolder(change, folders)) left.push({ path: change.path, why: 'empty-folder' });
  }
  return { before, after, left };
}

type Side = Omit<TreeFile, 'path'>;

function sideOf(state: FileState | undefined): Side | undefined {
  if (state === undefined || state.type === 'dir') return undefined;
  if (state.type === 'symlink') return { mode: '120000', content: parsePath(state.target) };
  return { mode: state.executable ? '100755' : '100644', content: { sha256: state.sha256, size: state.size } };
}

function emptied(state: FileState | undefined): Side | undefined {
  const side = sideOf(state);
  return side && { ...side, content: NOTHING };
}

function problemOf(change: Change, store: ChangeStore): NotInPatch['why'] | undefined {
  if (change.kind === 'mode') return undefined;
  const files = [change.before, change.after].filter((state) => state?.type === 'file');
  if (files.some((file) => file.size > MAX_PATCH_FILE_BYTES)) return 'too-large';
  return files.some((file) => file.size > 0 && !store.hasBlob(file.sha256)) ? 'content-missing' : undefined;
}

/** A folder exists for git through what is in it; one that comes or goes with nothing in it is lost. */
function isLostFolder(change: Change, folders: Record<'before' | 'after', ReadonlySet<string>>): boolean {
  return (['before', 'after'] as const).some((side) => change[side]?.type === 'dir' && !folders[side].has(change.path));
}

/** All folders above files and links of one side, as shown. */
function parentsOf(changes: readonly Change[], side: 'before' | 'after'): Set<string> {
  const parents = new Set<string>();
  for (const change of changes) {
    const state = change[side];
    if (state === undefined || state.type === 'dir') continue;
    for (let at = change.path.lastIndexOf('/'); at > 0; at = change.path.lastIndexOf('/', at - 1)) {
      const parent = change.path.slice(0, at);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  return parents;
}
