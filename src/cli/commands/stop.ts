import { setTimeout as delay } from 'node:timers/promises';
import { controllerAlive } from '../../container/ownership.ts';
import { SandboxError } from '../../errors.ts';
import { requestStop } from '../../run/control-client.ts';
import { controlSocket } from '../../run/recover.ts';
import { runState } from '../../run/run-state.ts';
import { readOutcome } from '../../transcript/run-list.ts';
import { environment } from '../environment.ts';
import { pickRun } from '../pick-run.ts';
import { say } from '../print.ts';
import { Progress } from '../progress.ts';
import { recoverFirst } from '../recover-first.ts';
import { Screen } from '../render-screen.ts';

/** Longest wait for a controller to take everything down, and the time between two looks, milliseconds. */
const END_MS = 60_000;
const POLL_MS = 50;

/** `pi-sandbox stop`: 0 when nothing runs any more, also when nothing ran. */
export async function stop(ref: string): Promise<number> {
  await recoverFirst();
  const { id } = pickRun(ref);
  await endRun(id);
  return 0;
}

/** Ends a run in order and returns when its controller is gone. Says what it found. */
export async function endRun(id: string): Promise<void> {
  const { stateRoot } = environment;
  const socket = controlSocket(stateRoot, id);
  if (!(await controllerAlive(socket))) {
    say(`Run ${id} is not running: ${(await runState(stateRoot, id)).replaceAll('_', ' ')}.`);
    return;
  }
  await requestStop(socket).catch(async (error: unknown) => {
    // It ended by itself at this moment.
    if (await controllerAlive(socket)) throw error;
  });
  const progress = new Progress(new Screen(process.stderr, environment.display(process.stderr)));
  const started = performance.now();
  while (await controllerAlive(socket)) {
    const waited = performance.now() - started;
    if (waited > END_MS) {
      throw new SandboxError('engine', `Run ${id} was asked to end and still goes on after ${END_MS / 1000} s.`, {
        hint: 'Its engine may hang. When its controller is killed, the next pi-sandbox command removes what is left.',
      });
    }
    progress.update(`Waiting for run ${id} to end: ${Math.round(waited / 1000)} s`);
    await delay(POLL_MS);
  }
  progress.clear();
  const outcome = readOutcome(stateRoot, id);
  say(
    `Run ${id} has ended${outcome === undefined ? '' : `: ${outcome.outcome.replaceAll('_', ' ')}: ${outcome.reason}`}`,
  );
}
