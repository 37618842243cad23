import { type Applied, type ApplyTask, applyChanges, checkApply } from '../changes/apply/apply.ts';
import type { Conflict } from '../changes/apply/check.ts';
import { lockApplies } from '../changes/apply/lock.ts';
import { withoutImpliedFolders } from '../changes/bare-folders.ts';
import type { ChangeStore } from '../changes/store.ts';
import { controllerAlive } from '../container/ownership.ts';
import { SandboxError } from '../errors.ts';
import { plural } from '../lib/format.ts';
import type { Change, ChangeSet } from '../protocol/changes.ts';
import { writeChangeState } from '../run/change-state.ts';
import type { RunFolder } from '../transcript/run-folder.ts';
import { applyTarget } from './apply-target.ts';
import { commandText, sayConflicts, sayNotes, sayRisks } from './apply-words.ts';
import { type Again, consented } from './consent.ts';
import type { OfRisk } from './diff/change-words.ts';
import { environment } from './environment.ts';
import { printLine, say } from './print.ts';

/** What is to be applied, and on what terms. */
export interface Applying {
  readonly set: ChangeSet;
  readonly store: ChangeStore;
  readonly picked: readonly Change[];
  readonly folder: RunFolder;
  readonly again: Again;
  /** What needs consent and has none yet. */
  readonly risks: readonly OfRisk[];
  readonly check: boolean;
  readonly signal: AbortSignal;
  /** Lets others run between two paths, and throws to interrupt. */
  readonly pause: () => Promise<void>;
}

export const REFUSED = 6;

/** Writes to the repository of the run, or to another folder. Returns the exit code. */
export async function applyToFiles(applying: Applying, to: string | undefined): Promise<number> {
  const { set, store, picked, folder, again, risks, check, pause } = applying;
  const target = await applyTarget(set.root, to);
  const task: ApplyTask = {
    set,
    store,
    picked,
    target: Buffer.from(target),
    runFolder: folder.folder,
    umask: process.umask(),
    pause,
  };
  const checked = await checkApply(task);
  if (checked.conflicts.length > 0) return conflict(applying, target, checked.conflicts);
  if (checked.pending.length === 0) {
    say(`Already applied: ${plural(withoutImpliedFolders(picked).length, 'change')} of run ${set.run} in ${target}.`);
    return 0;
  }
  if (!(await consented(risks, again, { ask: !check }))) return REFUSED;
  if (check) {
    const told = withoutImpliedFolders(checked.pending.map(({ change }) => change));
    for (const { kind, path } of told) printLine(`${kind} ${path}`);
    sayNotes(checked.notes);
    say(`${plural(told.length, 'change')} would be applied to ${target}. Nothing was written.`);
    return 0;
  }
  await using lock = await lockApplies(environment.stateRoot, controllerAlive);
  if (lock === undefined) throw busy();
  const applied = await applyChanges(task);
  if (applied.conflicts.length > 0) return conflict(applying, target, applied.conflicts);
  recordApplied(applying, { target });
  report(applying, target, applied);
  return 0;
}

/** Puts on record that changes were applied. */
export function recordApplied({ set, picked, folder }: Applying, where: { target: string; branch?: string }): void {
  const changes = withoutImpliedFolders(picked).length;
  const of = withoutImpliedFolders(set.changes).length;
  writeChangeState(folder, {
    state: 'applied',
    time: new Date().toISOString(),
    digest: set.digest,
    ...where,
    changes,
    of,
  });
}

function report({ set, picked }: Applying, target: string, { written, done, notes }: Applied): void {
  // Judged by what was written: of a removed folder its files may have been gone before.
  const now = withoutImpliedFolders(among(picked, written));
  const before = among(withoutImpliedFolders(picked), done).length;
  for (const { path } of now) printLine(path);
  sayNotes(notes);
  const already = before === 0 ? '' : `, ${before} ${before === 1 ? 'was' : 'were'} there already`;
  say(`Applied ${plural(now.length, 'change')} of run ${set.run} to ${target}${already}.`);
  say(`Digest of the change set: ${set.digest}`);
}

function among(changes: readonly Change[], paths: readonly string[]): Change[] {
  const wanted = new Set(paths);
  return changes.filter(({ path }) => wanted.has(path));
}

/** Tells everything that stands in the way at once, and what to do next. */
function conflict({ set, picked, risks }: Applying, target: string, conflicts: readonly Conflict[]): number {
  const paths = conflicts.map(({ path }) => path);
  const told = new Set(withoutImpliedFolders(among(picked, paths)).map(({ path }) => path));
  sayConflicts(conflicts.filter(({ path }) => told.has(path)));
  sayRisks(risks);
  say(`Nothing was written to ${target}. The change set is kept. Next:`);
  say(`  ${commandText(['diff', set.run])}                 # look at it`);
  say(`  ${commandText(['diff', set.run, '--patch'])} > file  # as a patch, to merge by hand`);
  say(`  ${commandText(['apply', set.run])} PATH...        # only what fits`);
  return REFUSED;
}

function busy(): SandboxError {
  return new SandboxError('refused', 'Another apply is at work, so nothing was written.', {
    hint: 'Try again when it has ended.',
  });
}
