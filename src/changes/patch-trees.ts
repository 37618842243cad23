import { parsePath } from '../lib/path-bytes.ts';
import type { NotInPatch } from '../protocol/change-view.ts';
import type { Change, FileState } from '../protocol/changes.ts';
import { bareFolders } from './bare-folders.ts';
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
  // For git a folder is there through what is in it.
  const bare = bareFolders(changes);
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
    if (bare.has(change.path)) left.push({ path: change.path, why: 'empty-folder' });
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
