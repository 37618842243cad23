import { messageOf, SandboxError } from '../errors.ts';
import { runsWith } from '../transcript/run-list.ts';
import { JOURNAL } from './cut-apply.ts';
import { environment } from './environment.ts';
import { say } from './print.ts';

/** Ends applies that were cut off. Never rejects: the command it comes before may have nothing to do with them. */
export async function recoverApplies(): Promise<void> {
  const { stateRoot } = environment;
  try {
    const cut = runsWith(stateRoot, JOURNAL);
    if (cut.length === 0) return;
    const { endCutApplies } = await import('../run/cut-applies.ts');
    for (const line of await endCutApplies(stateRoot, cut)) say(line);
  } catch (error) {
    // The command meets the same state folder next, and says what to do about it.
    if (!(error instanceof SandboxError && error.code === 'state')) say(`pi-sandbox: ${messageOf(error)}`);
  }
}
