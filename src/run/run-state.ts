import { controllerAlive } from '../container/ownership.ts';
import type { RunState } from '../protocol/run-entry.ts';
import { readOutcome } from '../transcript/run-list.ts';
import { controlSocket } from './recover.ts';

/** How a run stands, as its folder and its control socket tell. */
export async function runState(stateRoot: string, run: string): Promise<RunState> {
  const before = readOutcome(stateRoot, run);
  if (before !== undefined) return before.outcome;
  if (await controllerAlive(controlSocket(stateRoot, run))) return 'running';
  // It may have ended in order between the two looks.
  return readOutcome(stateRoot, run)?.outcome ?? 'lost';
}
