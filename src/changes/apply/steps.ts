import { joinPath, parsePath, showPath } from '../../lib/path-bytes.ts';
import type { Change, FileState } from '../../protocol/changes.ts';
import type { Step } from './journal.ts';
import { executes, type Seen } from './look.ts';
import { folderOf, splitPath } from './path-parts.ts';

/** A change that is still to be made, and what was found at its path. */
export interface Pending {
  readonly change: Change;
  readonly seen: Seen;
}

const NEW_FILE = 0o644;
const NEW_EXECUTABLE = 0o755;
const NEW_FOLDER = 0o755;
const READ = 0o444;
const EXECUTE = 0o111;

/**
 * The steps of an apply, in the order in which each is possible: what makes room, folders from the inside out, new
 * folders from the outside in, contents, executable bits. `token` makes the names of waiting files unique.
 */
export function makeSteps(pending: readonly Pending[], token: string, umask: number): Step[] {
  const moving = new Set<string>();
  for (const { change } of pending) {
    if (change.before?.type === 'dir' || change.after?.type === 'dir') moving.add(change.path);
  }
  const steps = pending.map(({ change, seen }, at): Step => {
    const modeOnly = change.kind === 'mode';
    const path = parsePath(change.path);
    const takes = !modeOnly && isContent(change.before);
    const puts = !modeOnly && isContent(change.after);
    const mode = modeOf(change, seen, umask);
    return {
      path: change.path,
      ...(change.before === undefined ? {} : { before: change.before }),
      ...(change.after === undefined ? {} : { after: change.after }),
      modeOnly,
      ...('mode' in seen ? { rights: { mode: seen.mode, uid: seen.uid, gid: seen.gid } } : {}),
      ...(mode === undefined ? {} : { mode }),
      home: showPath(standingFolder(folderOf(path), moving)),
      ...(puts ? { fresh: `.pi-sandbox-${token}-${at}.new` } : {}),
      ...(takes ? { old: `.pi-sandbox-${token}-${at}.old` } : {}),
    };
  });
  return steps.sort((a, b) => rank(a) - rank(b) || depthOrder(a, b));
}

/** Whether a state has content that is put in place by name: a file or a link. */
export function isContent(state: FileState | undefined): boolean {
  return state !== undefined && state.type !== 'dir';
}

/** What makes room, emptied folders, new folders, contents, executable bits. */
function rank(step: Step): number {
  if (step.modeOnly) return 4;
  if (isContent(step.after)) return 3;
  if (step.after?.type === 'dir') return 2;
  return step.before?.type === 'dir' ? 1 : 0;
}

function depthOrder(a: Step, b: Step): number {
  const depth = splitPath(parsePath(a.path)).length - splitPath(parsePath(b.path)).length;
  return rank(a) === 1 ? -depth : depth;
}

/** The nearest folder from here upwards that no step makes or removes. */
function standingFolder(folder: Buffer, moving: ReadonlySet<string>): Buffer {
  let standing: Buffer = Buffer.alloc(0);
  for (const part of splitPath(folder)) {
    const next = joinPath(standing, part);
    if (moving.has(showPath(next))) break;
    standing = next;
  }
  return standing;
}

/** A replaced file keeps its mode, but for the executable bit where that changes; set-uid is never kept. */
function modeOf({ before, after }: Change, seen: Seen, umask: number): number | undefined {
  if (after?.type === 'dir') return NEW_FOLDER & ~umask;
  if (after?.type !== 'file') return undefined;
  if (seen.type !== 'file') return (after.executable ? NEW_EXECUTABLE : NEW_FILE) & ~umask;
  if (before?.type === 'file' && before.executable === after.executable) return seen.mode;
  if (executes(seen.mode) === after.executable) return seen.mode;
  return after.executable ? seen.mode | ((seen.mode & READ) >> 2) : seen.mode & ~EXECUTE;
}
