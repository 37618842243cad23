import { accessSync, constants, readdirSync } from 'node:fs';
import { joinPath, parsePath, showPath } from '../../lib/path-bytes.ts';
import type { Change } from '../../protocol/changes.ts';
import type { ChangeStore } from '../store.ts';
import { findWriteProblem } from '../write-rules.ts';
import { codeOf } from './code-of.ts';
import { GitOnDisk } from './git-on-disk.ts';
import { executes, isIn, look, type Seen, sizesOf } from './look.ts';
import { folderOf, nameOf } from './path-parts.ts';
import { isContent, type Pending } from './steps.ts';
import { type At, FolderProblem, type TargetTree } from './tree.ts';

/** A path where the target is not what the agent started from. */
export interface Conflict {
  readonly path: string;
  /** Half a sentence after the path. */
  readonly why: string;
}

/** What applying would meet. */
export interface Checked {
  readonly conflicts: readonly Conflict[];
  /** Changes that are still to be made. */
  readonly pending: readonly Pending[];
  /** Paths that are in their end state already. */
  readonly done: readonly string[];
  /** What will not be quite as before, or as in the sandbox. Sentences. */
  readonly notes: readonly string[];
}

/** Compares the target with the start state of the changes. Reads only. */
export async function checkChanges(
  tree: TargetTree,
  store: ChangeStore,
  picked: readonly Change[],
  pause: () => Promise<void>,
): Promise<Checked> {
  const made = new Set(picked.filter(({ after }) => after?.type === 'dir').map(({ path }) => path));
  const filled = new Set(picked.filter(({ after }) => isContent(after)).map(({ path }) => path));
  const gone = new Set(picked.filter(({ after }) => after === undefined).map(({ path }) => path));
  const git = new GitOnDisk(tree);
  const conflicts: Conflict[] = [];
  const pending: Pending[] = [];
  const done: string[] = [];
  const notes: string[] = [];
  for (const change of picked) {
    await pause();
    const found = examine(tree, store, change, { made, filled, gone, git });
    if (found.why !== undefined) conflicts.push({ path: change.path, why: found.why });
    else if (found.seen === undefined) done.push(change.path);
    else pending.push({ change, seen: found.seen });
    if (found.note !== undefined) notes.push(found.note);
  }
  return { conflicts, pending, done, notes };
}

interface Context {
  /** Folders that the same apply makes. */
  readonly made: ReadonlySet<string>;
  /** Paths where the same apply puts a file or a link. */
  readonly filled: ReadonlySet<string>;
  /** Paths that the same apply removes. */
  readonly gone: ReadonlySet<string>;
  readonly git: GitOnDisk;
}

/** With `why`: a conflict. Without `seen`: nothing to do. */
interface Examined {
  readonly why?: string;
  readonly seen?: Seen;
  readonly note?: string;
}

function examine(tree: TargetTree, store: ChangeStore, change: Change, context: Context): Examined {
  const { before, after } = change;
  const path = parsePath(change.path);
  const problem = findWriteProblem(change);
  if (problem !== undefined) return { why: problem };
  if (after?.type === 'file' && !store.hasBlob(after.sha256)) return { why: 'has no content in the change set' };
  try {
    const kept = context.git.find(path);
    if (kept !== undefined) return { why: kept };
    return tree.within(folderOf(path), (at) => {
      const place = at(nameOf(path));
      const seen = look(place, sizesOf(before, after));
      if (isDone(change, seen)) return {};
      if (!isIn(seen, before)) return { why: differs(change, seen) };
      if (!isWritable(at)) return { why: 'is in a folder that you cannot write to' };
      const left = seen.type === 'dir' ? othersIn(place, path, context.gone) : 0;
      if (left > 0 && after !== undefined) return { why: `is a folder with ${left} files that were not sent in` };
      return { seen, ...noteOf(change, seen, left) };
    });
  } catch (error) {
    if (error instanceof FolderProblem) return examineBelow(change, error, context);
    return { why: `cannot be looked at: ${codeOf(error) ?? String(error)}` };
  }
}

/** The way to the path is not made of folders. */
function examineBelow({ before, after }: Change, problem: FolderProblem, { made, filled }: Context): Examined {
  const isGone = problem.message === FolderProblem.MISSING || filled.has(problem.shown);
  if (after === undefined && isGone) return {};
  if (before === undefined && made.has(problem.shown)) return { seen: { type: 'none' } };
  return { why: `cannot be reached: ${problem.shown === '' ? 'the target' : problem.shown} ${problem.message}` };
}

function isDone({ before, after }: Change, seen: Seen): boolean {
  if (!isIn(seen, after)) return false;
  if (after?.type !== 'file' || seen.type !== 'file') return true;
  const bitMatters = before?.type !== 'file' || before.executable !== after.executable;
  return !bitMatters || executes(seen.mode) === after.executable;
}

function differs({ before, after }: Change, seen: Seen): string {
  if (seen.type === 'other') return seen.what;
  if (before === undefined) return `was added in the sandbox, and there is a ${nounOf(seen)} of this name now`;
  if (seen.type === 'none') return 'is no longer there';
  if (seen.type !== before.type) return `was a ${nounOf(before)} at the start and is a ${nounOf(seen)} now`;
  return after === undefined ? 'was changed since, and would be removed' : 'was changed since the start of the run';
}

function nounOf({ type }: { readonly type: Seen['type'] }): string {
  return type === 'dir' ? 'folder' : type === 'symlink' ? 'link' : 'file';
}

function isWritable(at: At): boolean {
  try {
    accessSync(at(Buffer.from('.')), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Entries that will still be in a folder when all removals are made. */
function othersIn(place: Buffer, path: Buffer, gone: ReadonlySet<string>): number {
  const names = readdirSync(place, { encoding: 'buffer' });
  return names.filter((name) => !gone.has(showPath(joinPath(path, name)))).length;
}

function noteOf({ path, after }: Change, seen: Seen, left: number): { readonly note?: string } {
  if (left > 0) return { note: `${path} stays: it holds ${left} files that were not sent in.` };
  if (seen.type === 'file' && seen.links > 1 && isContent(after)) {
    return { note: `${path} has ${seen.links - 1} more hard links; under those names the old content stays.` };
  }
  return {};
}
