import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../container/engine.ts';
import { runExec } from '../container/run-exec.ts';
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

/** Signal 9, as exit codes show it. */
const KILLED = 137;
const KILL_MS = 10_000;
const EXIT_MS = 5_000;
/** Time in which the end of the container shows on the wire, milliseconds. */
const WIRE_MS = 500;
const POLL_MS = 10;

/**
 * Ends everything in the container, in the order that matters: how pi left is read while it can be, then pi's stream
 * is let go (a stream that nobody reads holds up later commands), then what is to be kept is read, then all is killed.
 */
export async function endPi(parts: {
  engine: Engine;
  sandbox: StartedSandbox;
  pump: PiPump;
  plan: RunPlan;
  keep: (() => Promise<void>) | undefined;
}): Promise<PiEnd | undefined> {
  const { engine, sandbox, pump, keep } = parts;
  const code = pump.hasEnded ? await exitCode(engine, sandbox) : undefined;
  // Whoever kills the container kills pi first; that the whole went with it shows on the wire a moment later.
  if (code === KILLED) await Promise.race([sandbox.wire.closed.catch(() => {}), delay(WIRE_MS)]);
  await requireRunning(engine, sandbox.container);
  sandbox.pi.stdin.destroy();
  if (keep !== undefined) {
    await killAgent(engine, sandbox.container, parts.plan.container.agentUid);
    await keep();
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

/** Kills every process of the agent's user. */
async function killAgent(engine: Engine, container: string, uid: number): Promise<void> {
  await runExec(engine, container, {
    uid,
    cmd: ['/bin/bash', '-c', 'kill -KILL -1'],
    maxBytes: 1024,
    deadlineMs: KILL_MS,
  });
}

/** The engine closes the stream a moment before it notes the exit code. */
async function exitCode(engine: Engine, sandbox: StartedSandbox): Promise<number | null> {
  const until = Date.now() + EXIT_MS;
  for (;;) {
    const state = await engine.execState(sandbox.pi.exec);
    if (!state.running || Date.now() > until) return state.exitCode;
    await delay(POLL_MS);
  }
}

async function ended(engine: Engine, container: string): ReturnType<Engine['state']> {
  await engine.wait(container);
  return engine.state(container);
}
