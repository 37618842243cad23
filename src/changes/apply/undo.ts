import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { joinPath, parsePath, showPath } from '../../lib/path-bytes.ts';
import type { ChangeStore } from '../store.ts';
import { restoreFolder, setMode } from './act.ts';
import { codeOf } from './code-of.ts';
import type { Step } from './journal.ts';
import { isIn, look, sizesOf } from './look.ts';
import { folderOf, nameOf } from './path-parts.ts';
import { Disturbed, put, take } from './place.ts';
import { isPrefix } from './stage.ts';
import { FolderProblem, type TargetTree } from './tree.ts';

export interface Undone {
  /** What is not as it was, a sentence each. */
  readonly left: string[];
  /** Whether the system refused some of it; then it may succeed later. */
  readonly failed: boolean;
}

/**
 * Takes back whatever of these steps was made, last first. May be called in any state, also twice. Only what is in a
 * state that the journal names is removed; the rest is left and returned, one sentence each.
 */
export async function undo(
  tree: TargetTree,
  store: ChangeStore,
  steps: readonly Step[],
  pause: () => Promise<void>,
): Promise<Undone> {
  const left: string[] = [];
  let failed = false;
  for (const step of steps.toReversed()) {
    await pause();
    for (const work of [() => undoStep(tree, step), () => removeFresh(tree, store, step)]) {
      try {
        const problem = work();
        if (problem !== undefined) left.push(problem);
      } catch (error) {
        failed = true;
        const reason = error instanceof FolderProblem ? `${error.shown} ${error.message}` : codeOf(error);
        left.push(`${step.path} could not be put back: ${reason ?? String(error)}${asideOf(tree, step)}.`);
      }
    }
  }
  return { left, failed };
}

function undoStep(tree: TargetTree, step: Step): string | undefined {
  const path = parsePath(step.path);
  const work = (): string | undefined =>
    tree.within(folderOf(path), (at) => {
      const place = at(nameOf(path));
      return step.modeOnly ? undoMode(place, step) : undoEntry(tree, place, step);
    });
  if (step.before !== undefined) return work();
  try {
    return work();
  } catch (error) {
    // Where its folder is not, nothing was added.
    if (error instanceof FolderProblem) return undefined;
    throw error;
  }
}

function undoMode(place: Buffer, step: Step): string | undefined {
  try {
    setMode(place, step, step.mode, step.rights?.mode);
    return undefined;
  } catch (error) {
    // As it was, or no longer ours to judge: the content was never touched.
    if (error instanceof Disturbed || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function undoEntry(tree: TargetTree, place: Buffer, step: Step): string | undefined {
  const { before, after, old, fresh } = step;
  return tree.within(parsePath(step.home), (home) => {
    const aside = old === undefined ? undefined : home(Buffer.from(old));
    const waiting = fresh === undefined ? undefined : home(Buffer.from(fresh));
    if (waiting !== undefined) finishRemoval(gone(waiting), place, step);
    // Between getting its place and losing the name where it waited, a file has both.
    for (const other of [waiting, aside]) if (other !== undefined && sameFile(place, other)) unlinkSync(other);
    const isAside = aside !== undefined && exists(aside);
    const seen = look(place, sizesOf(before, after));
    if (seen.type !== 'none') {
      if (!isMade(step, { isAside, waiting, isStart: isIn(seen, before) })) return undefined;
      const why = takeBack(place, waiting, step);
      if (why !== undefined)
        return `${step.path} ${why}${isAside ? `; what was there before is in ${oldPath(step)}` : ''}.`;
    }
    if (isAside) put(aside, place, { isLink: before?.type === 'symlink' });
    if (before?.type === 'dir') restoreFolder(place, step);
    return undefined;
  });
}

/** Where the old content is, as the end of a sentence; empty when it was not moved aside. */
function asideOf(tree: TargetTree, step: Step): string {
  const { old, home } = step;
  if (old === undefined) return '';
  try {
    const isAside = tree.within(parsePath(home), (at) => exists(at(Buffer.from(old))));
    return isAside ? `; what was there before is in ${oldPath(step)}` : '';
  } catch {
    return '';
  }
}

/** Whether what is at the place now came there, or stays there, by this step. */
function isMade(
  { before, after }: Step,
  now: { readonly isAside: boolean; readonly waiting: Buffer | undefined; readonly isStart: boolean },
): boolean {
  if (before !== undefined) return before.type === 'dir' ? !now.isStart : now.isAside;
  return after?.type === 'dir' || now.waiting === undefined || !exists(now.waiting);
}

/** Undefined when the place is free now, else why it is not. */
function takeBack(place: Buffer, waiting: Buffer | undefined, { after }: Step): string | undefined {
  if (after === undefined || waiting === undefined) {
    return after?.type === 'dir' ? removeEmpty(place) : 'was made again since, and is left as it is';
  }
  try {
    take(place, gone(waiting), after);
  } catch (error) {
    if (error instanceof Disturbed) return 'was changed since, and is left as it is';
    throw error;
  }
  unlinkSync(gone(waiting));
  return undefined;
}

/** An undo that was cut off between moving a content aside and removing it. */
function finishRemoval(aside: Buffer, place: Buffer, { after }: Step): void {
  const seen = look(aside, sizesOf(after));
  if (seen.type === 'none') return;
  if (isIn(seen, after)) unlinkSync(aside);
  else put(aside, place, { isLink: seen.type === 'symlink' });
}

function removeEmpty(place: Buffer): string | undefined {
  try {
    rmdirSync(place);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return 'holds files that came since, and stays';
    if (code === 'ENOTDIR') return 'was changed since, and is left as it is';
    throw error;
  }
}

/** A new content that waited, whole or cut. */
function removeFresh(tree: TargetTree, store: ChangeStore, step: Step): string | undefined {
  const { fresh, after } = step;
  if (fresh === undefined || after === undefined) return undefined;
  return tree.within(parsePath(step.home), (at) => {
    const place = at(Buffer.from(fresh));
    if (!exists(place)) return undefined;
    const ours =
      after.type === 'file'
        ? store.hasBlob(after.sha256) && isPrefix(place, store.blobPath(after.sha256))
        : isIn(look(place, []), after);
    if (!ours) return `${waitingPath(step)} was changed, and is left as it is.`;
    unlinkSync(place);
    return undefined;
  });
}

function exists(place: Buffer): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}

function sameFile(one: Buffer, other: Buffer): boolean {
  const [a, b] = [one, other].map((place) => lstatSync(place, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** Where a content that was put in place goes when it is removed again. */
function gone(waiting: Buffer): Buffer {
  return Buffer.concat([waiting, Buffer.from('.gone')]);
}

function waitingPath({ home, fresh }: Step): string {
  return showPath(joinPath(parsePath(home), Buffer.from(fresh ?? '')));
}

/** Where the old content of a step lies, as it is shown. */
export function oldPath({ home, old }: Step): string {
  return showPath(joinPath(parsePath(home), Buffer.from(old ?? '')));
}
