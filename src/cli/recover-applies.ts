import { existsSync } from 'node:fs';
import path from 'node:path';
import { messageOf, SandboxError } from '../errors.ts';
import { listRuns } from '../transcript/run-list.ts';
import { environment } from './environment.ts';
import { say } from './print.ts';

/** Lies in the folder of a run whose apply goes on, or was cut off. */
const JOURNAL = 'apply.journal';

/** Ends applies that were cut off. Never rejects: the command it comes before may have nothing to do with them. */
export async function recoverApplies(): Promise<void> {
  try {
    const cut = listRuns(environment.stateRoot).filter(({ folder }) => existsSync(path.join(folder, JOURNAL)));
    if (cut.length === 0) return;
    const { endCutApplies } = await import('../run/cut-applies.ts');
    for (const line of await endCutApplies(
      environment.stateRoot,
      cut.map(({ id }) => id),
    ))
      say(line);
  } catch (error) {
    if (!(error instanceof SandboxError && error.code === 'state')) say(`pi-sandbox: ${messageOf(error)}`);
  }
}
