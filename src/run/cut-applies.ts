import { lockApplies } from '../changes/apply/lock.ts';
import { type Recovered, recoverApply } from '../changes/apply/recover.ts';
import { controllerAlive } from '../container/ownership.ts';
import { messageOf, SandboxError } from '../errors.ts';
import { RunFolder } from '../transcript/run-folder.ts';
import { changeStore } from './change-state.ts';

/**
 * Finishes or undoes the applies of these runs, unless one is at work now. Returns what was done, a line each. Rejects with
 * SandboxError `state` when the state folder cannot be used.
 */
export async function endCutApplies(stateRoot: string, runs: readonly string[]): Promise<string[]> {
  await using lock = await lockApplies(stateRoot, controllerAlive);
  if (lock === undefined) return [];
  const said: string[] = [];
  for (const run of runs) {
    try {
      const folder = RunFolder.open(stateRoot, run);
      const recovered = await recoverApply(folder.folder, changeStore(folder));
      if (recovered !== undefined) said.push(`Run ${run}: ${sentences(recovered)}`);
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      said.push(`Run ${run}: ${messageOf(error)} ${error.hint ?? ''}`);
    }
  }
  return said;
}

function sentences({ end, target, left }: Recovered): string {
  const cut = `an apply to ${target} was cut off`;
  const ends: Readonly<Record<Recovered['end'], string>> = {
    finished: `${cut} after all was written; it is complete now.`,
    undone: `${cut}; ${left.length === 0 ? 'all is' : 'all else is'} as it was before.`,
    unfinished: `${cut}, and could not be undone whole; the next command tries again.`,
    unreachable: `${cut}, and that folder is not there now; when it is again, the next command puts it right.`,
  };
  return [ends[end], ...left].join(' ');
}
