import { setImmediate as turn } from 'node:timers/promises';
import { type Applied, type ApplyTask, applyChanges, checkApply } from '../../changes/apply/apply.ts';
import { lockApplies } from '../../changes/apply/lock.ts';
import { withNeededFolders } from '../../changes/apply/pick.ts';
import { selectChanges } from '../../changes/select-changes.ts';
import { controllerAlive } from '../../container/ownership.ts';
import { SandboxError } from '../../errors.ts';
import { plural } from '../../lib/format.ts';
import type { RiskClass } from '../../protocol/changes.ts';
import { writeChangeState } from '../../run/change-state.ts';
import { RunFolder } from '../../transcript/run-folder.ts';
import { allowedRisks } from '../allow-risk.ts';
import { applyTarget } from '../apply-target.ts';
import { commandText, sayConflicts, sayNotes, sayRisks } from '../apply-words.ts';
import { byRisk, type OfRisk } from '../diff/change-words.ts';
import { environment } from '../environment.ts';
import type { Interrupts } from '../interrupts.ts';
import { loadChanges } from '../load-changes.ts';
import { pickRun } from '../pick-run.ts';
import { printLine, say } from '../print.ts';
import { askOrLeave } from '../prompt.ts';
import { recoverFirst } from '../recover-first.ts';

export interface ApplyOptions {
  readonly to?: string;
  readonly branch?: string;
  readonly allowRisk?: readonly string[];
  readonly check?: boolean;
}

const REFUSED = 6;

/** The command as it was given, to be given again with more. */
interface Again {
  readonly words: readonly string[];
  readonly named: readonly string[];
  readonly allowed: ReadonlySet<RiskClass>;
}

/** `pi-sandbox apply`: writes what a run changed, all of it or nothing. */
export async function apply(
  ref: string,
  named: readonly string[],
  options: ApplyOptions,
  interrupts: Interrupts,
): Promise<number> {
  const allowed = allowedRisks(options.allowRisk ?? []);
  await recoverFirst();
  const run = pickRun(ref);
  const { set, store } = await loadChanges(run);
  if (set.outcome === 'partial' && named.length === 0) throw partial(set.run, set.reasons);
  const picked = withNeededFolders(set.changes, selectChanges(set, named, process.cwd()));
  if (picked.length === 0) {
    say(`Run ${run.id} changed nothing.`);
    return 0;
  }
  using stop = stopSwitch(interrupts);
  const folder = RunFolder.open(environment.stateRoot, run.id);
  const target = await applyTarget(set.root, options.to);
  const task: ApplyTask = {
    set,
    store,
    picked,
    target: Buffer.from(target),
    runFolder: folder.folder,
    umask: process.umask(),
    pause: stop.pause,
  };
  const again: Again = {
    words: ['apply', run.id, ...(options.to === undefined ? [] : ['--to', options.to])],
    named: named.some((name) => name.startsWith('-')) ? ['--', ...named] : named,
    allowed,
  };
  const risks = byRisk(picked).filter(({ name }) => !allowed.has(name));
  const checked = await checkApply(task);
  if (checked.conflicts.length > 0) return conflict(run.id, target, checked, risks);
  if (checked.pending.length === 0) {
    say(`Already applied: ${plural(picked.length, 'change')} of run ${run.id} in ${target}.`);
    return 0;
  }
  if (!(await consented(risks, options.check === true, again))) return REFUSED;
  if (options.check === true) {
    for (const { change } of checked.pending) printLine(`${change.kind} ${change.path}`);
    sayNotes(checked.notes);
    say(`${plural(checked.pending.length, 'change')} would be applied to ${target}. Nothing was written.`);
    return 0;
  }
  await using lock = await lockApplies(environment.stateRoot, controllerAlive);
  if (lock === undefined) throw busy();
  const applied = await applyChanges(task);
  if (applied.conflicts.length > 0) return conflict(run.id, target, applied, risks);
  const time = new Date().toISOString();
  writeChangeState(folder, {
    state: 'applied',
    time,
    digest: set.digest,
    target,
    changes: picked.length,
    of: set.changes.length,
  });
  report(run.id, target, applied, set.digest);
  return 0;
}

function report(run: string, target: string, { written, done, notes }: Applied, digest: string): void {
  for (const path of written) printLine(path);
  const before = done.length === 0 ? '' : `, ${done.length} were there already`;
  sayNotes(notes);
  say(`Applied ${plural(written.length, 'change')} of run ${run} to ${target}${before}.`);
  say(`Digest of the change set: ${digest}`);
}

function conflict(
  run: string,
  target: string,
  { conflicts }: Pick<Applied, 'conflicts'>,
  risks: readonly OfRisk[],
): number {
  sayConflicts(conflicts);
  if (risks.length > 0) sayRisks(risks);
  say(`Nothing was written to ${target}. The change set is kept. Next:`);
  say(`  ${commandText(['diff', run])}                 # look at it`);
  say(`  ${commandText(['diff', run, '--patch'])} > file  # as a patch, to merge by hand`);
  say(`  ${commandText(['apply', run])} PATH...        # only what fits`);
  return REFUSED;
}

/** Whether each class that needs consent has it now. */
async function consented(risks: readonly OfRisk[], checkOnly: boolean, again: Again): Promise<boolean> {
  if (risks.length === 0) return true;
  const interactive = process.stdin.isTTY === true && process.stderr.isTTY === true && !checkOnly;
  for (const risk of interactive ? risks : []) {
    sayRisks([risk]);
    const answer = await askOrLeave(`Apply ${risk.changes.length === 1 ? 'it' : 'them'}? [y/N] `);
    if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) return refuse([risk.name], again);
  }
  if (interactive) return true;
  sayRisks(risks);
  return refuse(
    risks.map(({ name }) => name),
    again,
  );
}

function refuse(classes: readonly RiskClass[], { words, named, allowed }: Again): false {
  const list = [...allowed, ...classes].join(',');
  say(`Nothing was written: ${classes.join(', ')} ${classes.length === 1 ? 'is' : 'are'} not allowed. To allow:`);
  say(`  ${commandText([...words, '--allow-risk', list, ...named])}`);
  return false;
}

function partial(run: string, reasons: readonly string[]): SandboxError {
  return new SandboxError(
    'refused',
    `The change set of run ${run} is partial, so it is not applied as a whole: ${reasons.join('; ')}.`,
    {
      hint: `Look at it with "pi-sandbox diff ${run}" and name the paths to apply.`,
    },
  );
}

function busy(): SandboxError {
  return new SandboxError('refused', 'Another apply is at work, so nothing was written.', {
    hint: 'Try again when it has ended.',
  });
}

/** Ctrl-C and the like undo what was written so far. */
function stopSwitch(interrupts: Interrupts): { readonly pause: () => Promise<void> } & Disposable {
  let exitCode: 130 | 143 | undefined;
  const off = interrupts.listen((kind) => {
    if (kind !== 'SIGPIPE') exitCode ??= kind === 'SIGINT' ? 130 : 143;
  });
  return {
    pause: async () => {
      await turn();
      if (exitCode !== undefined) throw new SandboxError('usage', 'Interrupted.', { exitCode });
    },
    [Symbol.dispose]: off,
  };
}
