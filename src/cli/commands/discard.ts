import { withoutImpliedFolders } from '../../changes/bare-folders.ts';
import { plural } from '../../lib/format.ts';
import { readChangeState, writeChangeState } from '../../run/change-state.ts';
import { RunFolder } from '../../transcript/run-folder.ts';
import { refuseOpenApply } from '../cut-apply.ts';
import { environment } from '../environment.ts';
import { loadChanges } from '../load-changes.ts';
import { pickRun } from '../pick-run.ts';
import { say } from '../print.ts';
import { recoverFirst } from '../recover-first.ts';

/** `pi-sandbox discard`: removes the change set of a run and keeps the run. */
export async function discard(ref: string): Promise<number> {
  await recoverFirst();
  const run = pickRun(ref);
  const folder = RunFolder.open(environment.stateRoot, run.id);
  if (readChangeState(folder)?.state === 'discarded') {
    say(`The changes of run ${run.id} were discarded before.`);
    return 0;
  }
  refuseOpenApply(run.id, folder.folder, 'Every command tries to undo it first and says what is in the way.');
  const { set, store } = await loadChanges(run);
  const of = withoutImpliedFolders(set.changes).length;
  // The record first: a change set that is half removed must not look like one that was altered.
  writeChangeState(folder, {
    state: 'discarded',
    time: new Date().toISOString(),
    digest: set.digest,
    of,
  });
  store.discard();
  say(`Discarded ${plural(of, 'change')} of run ${run.id}. The run itself is kept.`);
  return 0;
}
