import { controllerAlive } from '../../container/ownership.ts';
import { SandboxError } from '../../errors.ts';
import { controlSocket } from '../../run/recover.ts';
import { RunFolder } from '../../transcript/run-folder.ts';
import { refuseOpenApply } from '../cut-apply.ts';
import { environment } from '../environment.ts';
import { pickRun } from '../pick-run.ts';
import { say } from '../print.ts';
import { recoverFirst } from '../recover-first.ts';
import { endRun } from './stop.ts';

/** `pi-sandbox rm`: removes what is kept of a run. With `force`, a running one is ended first, and an apply that was cut off forgotten. */
export async function rm(ref: string, options: { readonly force?: boolean }): Promise<number> {
  await recoverFirst();
  const { stateRoot } = environment;
  const { id } = pickRun(ref);
  if (await controllerAlive(controlSocket(stateRoot, id))) {
    if (options.force !== true) {
      throw new SandboxError('usage', `Run ${id} is still running, so its folder is in use.`, {
        hint: `End it with "pi-sandbox stop ${id}", or end and remove it with --force.`,
      });
    }
    await endRun(id);
  }
  const kept = RunFolder.open(stateRoot, id);
  if (options.force !== true) {
    refuseOpenApply(
      id,
      kept.folder,
      'Every command tries to undo it first and says what is in the way; --force forgets it.',
    );
  }
  kept.remove();
  say(`Run ${id} was removed.`);
  return 0;
}
