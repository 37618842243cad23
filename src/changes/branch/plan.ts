import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { joinPath, parsePath, showPath } from '../../lib/path-bytes.ts';
import type { Change, FileState } from '../../protocol/changes.ts';
import { manifestKey } from '../../protocol/manifest.ts';
import type { Conflict } from '../apply/check.ts';
import { foldersAbove } from '../apply/path-parts.ts';
import { MAX_TEXT_BYTES } from '../limits.ts';
import type { ChangeStore } from '../store.ts';
import { findWriteProblem } from '../write-rules.ts';
import { blobId, keptBlobId, withoutCarriageReturns } from './content.ts';
import { type Entry, SUBMODULE } from './entries.ts';
import type { HashName } from './repository.ts';

export interface Source {
  readonly store: ChangeStore;
  readonly hash: HashName;
  /** Folder of ours, in which `made` and `blobs` are. */
  readonly scratch: string;
  /** The folder that the run worked on, real. */
  readonly root: Buffer;
  /** The same, relative to the top of the repository. */
  readonly prefix: Buffer;
  readonly entries: ReadonlyMap<string, Entry>;
  /** Filters that HEAD's attributes name, by manifest key of the path in the repository. */
  readonly filters: ReadonlyMap<string, string>;
}

/** A path of the new commit. */
export interface Planned {
  /** Relative to the top of the repository. */
  readonly path: Buffer;
  /** Undefined: it is removed. */
  readonly entry: Entry | undefined;
  /** File with its content, relative to the scratch folder; absent where there is none. */
  readonly file?: string;
}

export type Step = { readonly conflict: Conflict } | { readonly planned: Planned };

const EXECUTABLE = '100755';
const PLAIN = '100644';
const LINK = '120000';

/** What a change means for a commit on top of HEAD; undefined for folders, which git does not know. */
export function planChange(source: Source, change: Change, number: number): Step | undefined {
  const { before, after } = change;
  if (isNothing(before) && isNothing(after)) return undefined;
  const shown = parsePath(change.path);
  const why = findWriteProblem(change) ?? foreign(source, shown);
  if (why !== undefined) return { conflict: { path: change.path, why } };
  const target = joinPath(source.prefix, shown);
  const head = source.entries.get(manifestKey(target));
  const start = compare(source, before, head);
  if (typeof start !== 'object') return { conflict: { path: change.path, why: start } };
  if (isNothing(after)) return { planned: { path: target, entry: undefined } };
  const filter = source.filters.get(manifestKey(target));
  if (filter !== undefined && after?.type === 'file' && !isSameContent(before, after)) {
    return {
      conflict: {
        path: change.path,
        why: `is kept by the filter "${showPath(Buffer.from(filter, 'latin1'))}", which is not run here`,
      },
    };
  }
  return { planned: { path: target, ...content(source, change, number, start.unix, head) } };
}

function isSameContent(before: FileState | undefined, after: FileState & { type: 'file' }): boolean {
  return before?.type === 'file' && before.sha256 === after.sha256;
}

function isNothing(state: FileState | undefined): boolean {
  return state === undefined || state.type === 'dir';
}

/** Belongs to another repository. */
function foreign({ entries, prefix, root }: Source, shown: Buffer): string | undefined {
  for (const folder of foldersAbove(shown)) {
    if (entries.get(manifestKey(joinPath(prefix, folder)))?.mode === SUBMODULE) {
      return `is in the submodule ${showPath(folder)}`;
    }
    const git = joinPath(joinPath(root, folder), Buffer.from('.git'));
    if (existsSync(git)) {
      return `is in ${showPath(folder)}, which is a repository of its own`;
    }
  }
  return undefined;
}

/** Whether HEAD has the start state; with `unix`, but for line ends. Else why not. */
function compare(source: Source, before: FileState | undefined, head: Entry | undefined): { unix: boolean } | string {
  if (before === undefined || before.type === 'dir') {
    return head === undefined
      ? { unix: false }
      : 'was not in the start state, and HEAD has it: you removed it without committing';
  }
  if (head === undefined) return 'is not in HEAD: you had not committed it';
  if (before.type === 'symlink') {
    return blobId(source.hash, parsePath(before.target)) === head.id ? { unix: false } : UNCOMMITTED;
  }
  if (!source.store.hasBlob(before.sha256))
    return 'cannot be compared with HEAD: its start content is no longer at hand';
  if (keptBlobId(source.hash, source.store, before) === head.id) return { unix: false };
  if (before.size > MAX_TEXT_BYTES) return UNCOMMITTED;
  const unix = withoutCarriageReturns(source.store.readBlob(before.sha256));
  return blobId(source.hash, unix) === head.id ? { unix: true } : UNCOMMITTED;
}

const UNCOMMITTED = 'is not as in HEAD: you had changed it without committing, or a filter (LFS) keeps it';

function content(
  source: Source,
  { before, after }: Change,
  number: number,
  unix: boolean,
  head: Entry | undefined,
): Pick<Planned, 'entry' | 'file'> {
  const make = (bytes: Buffer, mode: string): Pick<Planned, 'entry' | 'file'> => {
    const file = `made/${number}`;
    writeFileSync(path.join(source.scratch, file), bytes);
    return { entry: { mode, id: blobId(source.hash, bytes) }, file };
  };
  if (after?.type === 'symlink') return make(parsePath(after.target), LINK);
  if (after?.type !== 'file') return { entry: undefined };
  const keepsMode = before?.type === 'file' && before.executable === after.executable && head !== undefined;
  const mode = keepsMode ? head.mode : after.executable ? EXECUTABLE : PLAIN;
  // As git does itself where it gave the file its carriage returns.
  if (unix && after.size <= MAX_TEXT_BYTES) {
    return make(withoutCarriageReturns(source.store.readBlob(after.sha256)), mode);
  }
  return {
    entry: { mode, id: keptBlobId(source.hash, source.store, after) },
    file: `blobs/${after.sha256}`,
  };
}
