import { withoutImpliedFolders } from '../../changes/bare-folders.ts';
import type { Patch } from '../../changes/patch.ts';
import { selectChanges } from '../../changes/select-changes.ts';
import { ownedFolder } from '../../container/owned-folder.ts';
import { SandboxError } from '../../errors.ts';
import { currentFolder } from '../current-folder.ts';
import { printSet } from '../diff/json.ts';
import { printPatch } from '../diff/patch.ts';
import { patchesIn, type Shown, sayWhatIsMissing } from '../diff/shown.ts';
import { statRows } from '../diff/stat.ts';
import { diffText } from '../diff/text.ts';
import { environment } from '../environment.ts';
import type { Interrupts } from '../interrupts.ts';
import { loadChanges } from '../load-changes.ts';
import { page } from '../pager.ts';
import { pickRun } from '../pick-run.ts';
import { printLine, printTable, say } from '../print.ts';
import { recoverFirst } from '../recover-first.ts';
import { UntilInterrupted } from '../until-interrupted.ts';

export interface DiffOptions {
  readonly stat?: boolean;
  readonly json?: boolean;
  readonly patch?: boolean;
}

/** `pi-sandbox diff`: what a run changed, for a person, for a program, or for `git apply`. */
export async function diff(
  ref: string,
  named: readonly string[],
  options: DiffOptions,
  interrupts: Interrupts,
): Promise<number> {
  const forms = (['stat', 'json', 'patch'] as const).filter((form) => options[form] === true);
  if (forms.length > 1) {
    throw new SandboxError('usage', `--${forms.join(' and --')} exclude each other.`, { hint: 'Give one of them.' });
  }
  await recoverFirst();
  const { set, store } = await loadChanges(pickRun(ref));
  const changes = selectChanges(set, named, currentFolder());
  using stop = new UntilInterrupted(interrupts);
  await using scratch = await ownedFolder(environment.stateRoot, 'scratch');
  const shown = { set, changes, named, patchOf: patchesIn(scratch.folder, store, stop.signal) };
  try {
    if (options.json === true) await printSet(shown);
    else if (options.patch === true) await printPatch(shown);
    else if (options.stat === true) await printStat(shown);
    else await page(diffText(shown, environment.display(process.stdout)), stop);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  return stop.exitCode;
}

async function printStat(shown: Shown): Promise<void> {
  const { changes, patchOf } = shown;
  let counts: Awaited<ReturnType<Patch['counts']>> | undefined;
  try {
    counts = await (await patchOf(changes)).counts();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    say(`Lines are not counted: ${error.message}`);
  }
  const { rows, sum } = statRows(withoutImpliedFolders(changes), counts);
  printTable(rows);
  printLine(sum);
  sayWhatIsMissing(shown);
}
