import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from './errors.ts';
import type { RunPlan } from './protocol/plan.ts';
import type { RunRequest } from './request/run-request.ts';
import { execute, type RunResult } from './run/execute.ts';
import type { RunHost } from './run/host.ts';
import { type Prepared, prepare } from './run/prepare.ts';
import { redactedError } from './run/redacted-error.ts';
import { Stops } from './run/stops.ts';
import { TurnSwitch } from './run/turn-switch.ts';
import { untilStopped } from './run/until-stopped.ts';

export type { RunResult } from './run/execute.ts';
export type { Interrupt, RunHost } from './run/host.ts';

/** Decides everything about a run and starts nothing. Rejects with SandboxError. */
export async function planRun(request: RunRequest, host: RunHost): Promise<RunPlan> {
  const stops = new Stops();
  using _listening = listen(host, stops, new TurnSwitch());
  const prepared = await unlessInterrupted(stops, host, prepare(request, host, stops.signal));
  prepared.source.close?.();
  return await prepared.plan();
}

/**
 * One run, from request to outcome. Rejects with SandboxError when nothing was started; after that every failure is
 * an outcome, on record, and everything that was created is removed again.
 */
export async function runSandbox(request: RunRequest, host: RunHost): Promise<RunResult> {
  const stops = new Stops();
  const turn = new TurnSwitch();
  using _listening = listen(host, stops, turn);
  let made: Prepared | undefined;
  const work = prepare(request, host, stops.signal).then((ready) => {
    made = ready;
    return renewed(ready, stops.signal);
  });
  const prepared = await unlessInterrupted(stops, host, work, () => made?.source.settled?.());
  // Awaited here: interrupts are listened to for as long as this function runs.
  try {
    return await execute({ request, host: prepared.redaction.around(host), prepared, stops, turn });
  } catch (error) {
    throw await redactedError(error, host);
  } finally {
    // What its provider has just given must be kept, or the user is logged out of pi.
    await prepared.source.settled?.();
  }
}

/** No container is started for a login that its provider does not renew. */
async function renewed(prepared: Prepared, signal: AbortSignal): Promise<Prepared> {
  try {
    await prepared.source.renew?.(signal);
    return prepared;
  } catch (error) {
    prepared.source.close?.();
    throw error;
  }
}

/** Time that preparations get to end in order after an interrupt, milliseconds. An engine that hangs does not get more. */
const GRACE_MS = 3_000;

/** What a cancelled preparation throws says nothing to a person; that it was cancelled does. */
async function unlessInterrupted(
  stops: Stops,
  host: RunHost,
  work: Promise<Prepared>,
  settled: () => Promise<void> | undefined = () => undefined,
): Promise<Prepared> {
  try {
    return await untilStopped(stops, work);
  } catch (error) {
    const { signal } = stops.facts;
    if (signal === undefined) throw await redactedError(error, host);
    const ended = work.then(({ source }) => source.close?.());
    await Promise.race([ended.catch(() => {}), delay(GRACE_MS)]);
    // A login that is being renewed gets the time that it takes, which has a bound of its own.
    await settled();
    throw new SandboxError('usage', 'Interrupted before anything was started.', {
      exitCode: signal === 'SIGINT' ? 130 : 143,
    });
  }
}

/** Interrupts that a run which is already ending takes before it is left as it is. */
const PATIENCE = 1;

/** The first Ctrl-C ends the turn, if there is one; everything else ends the run. */
function listen(host: RunHost, stops: Stops, turn: TurnSwitch): Disposable {
  let impatience = 0;
  const unsubscribe = host.onInterrupt((kind) => {
    if (kind === 'SIGINT' && turn.abort()) host.warn('ending the turn; Ctrl-C once more ends the run.');
    // Already ending: who asks twice more does not want to wait for the orderly way.
    else if (stops.signal.aborted && kind !== 'SIGPIPE' && ++impatience > PATIENCE) host.onImpatient?.(kind);
    else stops.interrupt(kind);
  });
  return { [Symbol.dispose]: unsubscribe };
}
