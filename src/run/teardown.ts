import { setTimeout as delay } from 'node:timers/promises';
import { endAgent } from '../container/end-agent.ts';
import type { Engine } from '../container/engine.ts';
import { execExit } from '../container/exec-exit.ts';
import type { StartedSandbox } from '../container/start.ts';
import { SandboxError } from '../errors.ts';
import { withDeadline } from '../lib/deadline.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { PiPump } from './pump.ts';

/** How pi ended, as the engine says. */
export interface PiEnd {
  readonly code: number | null;
  readonly oom: boolean;
}

/** A container and the user in it that owns what is read. */
export interface InsideUser {
  readonly engine: Engine;
  readonly container: string;
  readonly uid: number;
}

/** Reads something out of the container. `problem`: why there may still be processes of the agent, if so. */
export type Keep = (problem: unknown) => Promise<void>;

/** Signal 9, as exit codes show it. */
const KILLED = 137;
const KILL_MS = 10_000;
/** Time in which the end of the container shows on the wire, milliseconds. */
const WIRE_MS = 500;

/**
 * Ends everything in the container, in the order that matters: how pi left is read while it can be, then pi's stream
 * is let go (a stream that nobody reads holds up later commands), then what is to be kept is read, then all is killed.
 */
export async function endPi(parts: {
  engine: Engine;
  sandbox: StartedSandbox;
  pump: PiPump;
  plan: RunPlan;
  keep: readonly Keep[];
}): Promise<PiEnd | undefined> {
  const { engine, sandbox, pump, keep } = parts;
  const code = pump.hasEnded ? await execExit(engine, sandbox.pi.exec) : undefined;
  // Whoever kills the container kills pi first; that the whole went with it shows on the wire a moment later.
  if (code === KILLED) await Promise.race([sandbox.wire.closed.catch(() => {}), delay(WIRE_MS)]);
  await requireRunning(engine, sandbox.container);
  sandbox.pi.stdin.destroy();
  if (keep.length > 0) {
    const processes = { engine, container: sandbox.container, ...parts.plan.container };
    const problem = await endAgent(processes).catch((error: unknown) => error);
    for (const work of keep) await work(problem);
  }
  sandbox.wire.close();
  await engine.kill(sandbox.container);
  const state = await withDeadline('the container ending', KILL_MS, ended(engine, sandbox.container));
  if (code === undefined) return undefined;
  return { code, oom: code === KILLED && state?.oomKilled === true };
}

/** Until here nobody of ours ended the container. Who did is not known, but it was not the agent's failure. */
async function requireRunning(engine: Engine, container: string): Promise<void> {
  const state = await engine.state(container);
  if (state?.running === true) return;
  if (state?.oomKilled === true) {
    throw new SandboxError('engine', 'The container ran out of memory and was ended; raise it with --memory.');
  }
  throw new SandboxError('engine', 'The container was ended or removed from outside of this run.');
}

async function ended(engine: Engine, container: string): ReturnType<Engine['state']> {
  await engine.wait(container);
  return engine.state(container);
}
