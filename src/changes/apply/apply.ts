import { randomBytes } from 'node:crypto';
import { messageOf, SandboxError } from '../../errors.ts';
import { parsePath, showPath } from '../../lib/path-bytes.ts';
import type { Change, ChangeSet } from '../../protocol/changes.ts';
import type { ChangeStore } from '../store.ts';
import { act } from './act.ts';
import { type Checked, type Conflict, checkChanges } from './check.ts';
import { codeOf } from './code-of.ts';
import { isApplied, removeOld, syncFolders } from './finish.ts';
import { JournalFile, type Step } from './journal.ts';
import { folderOf } from './path-parts.ts';
import { Disturbed } from './place.ts';
import { stage } from './stage.ts';
import { makeSteps } from './steps.ts';
import { FolderProblem, TargetTree } from './tree.ts';
import { undo } from './undo.ts';

export interface ApplyTask {
  readonly set: ChangeSet;
  readonly store: ChangeStore;
  /** What of the set is applied. */
  readonly picked: readonly Change[];
  /** Absolute path of the folder that is written to. */
  readonly target: Buffer;
  /** Absolute path of the run folder, for the journal. */
  readonly runFolder: string;
  /** Bits that new files and folders do not get. */
  readonly umask: number;
  /** Called between two paths: lets others run, and throws to interrupt. */
  readonly pause: () => Promise<void>;
  /** For tests: called right before a path is changed. */
  readonly beforeStep?: (path: string) => void;
}

export interface Applied {
  /** Nothing was written when there is any. */
  readonly conflicts: readonly Conflict[];
  /** Paths that were changed. */
  readonly written: readonly string[];
  /** Paths that were in their end state before. */
  readonly done: readonly string[];
  readonly notes: readonly string[];
}

const TOKEN_BYTES = 6;

/** What applying would meet; reads only. @throws SandboxError `refused` when the target is no folder */
export async function checkApply({ store, picked, target, pause }: Omit<ApplyTask, 'set'>): Promise<Checked> {
  using tree = openTarget(target);
  return await checkChanges(tree, store, picked, pause);
}

/**
 * Writes the picked changes, all or none: first everything is compared, then all contents are written beside their
 * places, then each path is changed, then all is read back. The journal is on disk before the first of it.
 *
 * @throws SandboxError `refused` when it had to be undone, `state` for a damaged change set
 */
export async function applyChanges(task: ApplyTask): Promise<Applied> {
  const { set, store, picked, target, runFolder, umask, pause } = task;
  const journal = new JournalFile(runFolder);
  // Written over, nothing would know any more where that apply left what it moved aside.
  if (journal.exists) throw notEnded(set.run);
  using tree = openTarget(target);
  const { conflicts, pending, done, notes } = await checkChanges(tree, store, picked, pause);
  if (conflicts.length > 0 || pending.length === 0) return { conflicts, written: [], done, notes };
  const steps = makeSteps(pending, randomBytes(TOKEN_BYTES).toString('hex'), umask);
  journal.write({ v: 1, run: set.run, digest: set.digest, root: showPath(target), steps });
  const more: string[] = [];
  let at: string | undefined;
  try {
    for (const step of steps) {
      await pause();
      at = step.path;
      if (!stage(tree, store, step)) more.push(`${step.path}: its owner could not be kept; it belongs to you now.`);
    }
    at = undefined;
    syncFolders(
      tree,
      steps.map(({ home }) => parsePath(home)),
    );
    for (const step of steps) {
      await pause();
      at = step.path;
      task.beforeStep?.(step.path);
      act(tree, step);
    }
    at = undefined;
    syncFolders(
      tree,
      steps.map(({ path }) => folderOf(parsePath(path))),
    );
    await readBack(tree, picked, pause);
    journal.markDone();
  } catch (error) {
    throw await takenBack(error, at, tree, task, journal, steps);
  }
  more.push(...removeOld(tree, steps));
  journal.remove();
  return { conflicts, written: pending.map(({ change }) => change.path), done, notes: [...notes, ...more] };
}

async function readBack(tree: TargetTree, picked: readonly Change[], pause: () => Promise<void>): Promise<void> {
  if (!tree.inPlace) throw new Disturbed('the target was moved away');
  for (const change of picked) {
    await pause();
    if (!isApplied(tree, change)) throw new Disturbed(`${change.path} was not as it was written when it was read back`);
  }
}

/** Undoes everything and returns the error to report. */
async function takenBack(
  error: unknown,
  at: string | undefined,
  tree: TargetTree,
  { store, target }: ApplyTask,
  journal: JournalFile,
  steps: readonly Step[],
): Promise<Error> {
  const { left, failed } = await undo(tree, store, steps, async () => {});
  // Kept, it makes the next command try again.
  if (!failed) journal.remove();
  const rest =
    left.length === 0 ? 'Everything is as it was before.' : `All else is as it was before. ${left.join(' ')}`;
  if (error instanceof SandboxError) {
    return new SandboxError(error.code, `${error.message} ${rest}`, {
      cause: error,
      exitCode: error.exitCode,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
  const place = at === undefined ? showPath(target) : `${at} in ${showPath(target)}`;
  return new SandboxError('refused', `The changes were not applied, because of ${place}: ${whyOf(error)}. ${rest}`, {
    cause: error,
    hint: 'The change set is kept.',
  });
}

function notEnded(run: string): SandboxError {
  return new SandboxError(
    'refused',
    `Nothing was written: an earlier apply of run ${run} was cut off and could not be undone yet.`,
    { hint: 'Every command tries to undo it first and says what is in the way.' },
  );
}

function whyOf(error: unknown): string {
  if (error instanceof FolderProblem) return `${error.shown} ${error.message}`;
  const known: Record<string, string> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'your quota is used up',
    EROFS: 'the file system is read-only',
    EACCES: 'permission is denied',
    EPERM: 'it is not permitted',
  };
  return known[codeOf(error) ?? ''] ?? messageOf(error);
}

function openTarget(target: Buffer): TargetTree {
  try {
    return TargetTree.open(target);
  } catch (cause) {
    if (!(cause instanceof FolderProblem)) throw cause;
    throw new SandboxError('refused', `Nothing can be applied to ${showPath(target)}: it ${cause.message}.`, {
      cause,
      hint: 'Name an existing folder with --to DIR.',
    });
  }
}
