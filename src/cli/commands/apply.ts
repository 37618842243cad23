import { setImmediate as turn } from 'node:timers/promises';
import { withNeededFolders } from '../../changes/apply/pick.ts';
import { selectChanges } from '../../changes/select-changes.ts';
import { SandboxError } from '../../errors.ts';
import { RunFolder } from '../../transcript/run-folder.ts';
import { allowedRisks } from '../allow-risk.ts';
import { applyToBranch } from '../apply-branch.ts';
import { type Applying, applyToFiles } from '../apply-files.ts';
import { currentFolder } from '../current-folder.ts';
import { byRisk } from '../diff/change-words.ts';
import { environment } from '../environment.ts';
import type { Interrupts } from '../interrupts.ts';
import { loadChanges } from '../load-changes.ts';
import { pickRun } from '../pick-run.ts';
import { say } from '../print.ts';
import { recoverFirst } from '../recover-first.ts';
import { UntilInterrupted } from '../until-interrupted.ts';

export interface ApplyOptions {
  readonly to?: string;
  readonly branch?: string;
  readonly allowRisk?: readonly string[];
  readonly check?: boolean;
}

/** `pi-sandbox apply`: writes what a run changed to files, or onto a new branch; all of it or nothing. */
export async function apply(
  ref: string,
  named: readonly string[],
  options: ApplyOptions,
  interrupts: Interrupts,
): Promise<number> {
  const allowed = allowedRisks(options.allowRisk ?? []);
  if (options.to !== undefined && options.branch !== undefined) {
    throw new SandboxError('usage', '--to and --branch exclude each other.', { hint: 'Give one of them.' });
  }
  await recoverFirst();
  const run = pickRun(ref);
  const { set, store } = await loadChanges(run);
  if (set.outcome === 'partial' && named.length === 0) throw partial(set.run, set.reasons);
  const picked = withNeededFolders(set.changes, selectChanges(set, named, currentFolder()));
  if (picked.length === 0) {
    say(`Run ${run.id} changed nothing.`);
    return 0;
  }
  using stop = new UntilInterrupted(interrupts);
  const way = Object.entries({ to: options.to, branch: options.branch });
  const applying: Applying = {
    set,
    store,
    picked,
    folder: RunFolder.open(environment.stateRoot, run.id),
    again: {
      words: ['apply', run.id, ...way.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))],
      named,
      allowed,
    },
    risks: byRisk(picked).filter(({ name }) => !allowed.has(name)),
    check: options.check === true,
    signal: stop.signal,
    pause: async () => {
      await turn();
      if (stop.signal.aborted) throw interrupted(stop.exitCode);
    },
  };
  try {
    return options.branch === undefined
      ? await applyToFiles(applying, options.to)
      : await applyToBranch(applying, options.branch);
  } catch (error) {
    if (stop.signal.aborted && !(error instanceof SandboxError)) throw interrupted(stop.exitCode);
    throw error;
  }
}

function partial(run: string, reasons: readonly string[]): SandboxError {
  return new SandboxError(
    'refused',
    `The change set of run ${run} is partial, so it is not applied as a whole: ${reasons.join('; ')}.`,
    { hint: `Look at it with "pi-sandbox diff ${run}" and name the paths to apply.` },
  );
}

function interrupted(exitCode: number): SandboxError {
  return new SandboxError('usage', 'Interrupted.', { exitCode: exitCode === 143 ? 143 : 130 });
}
