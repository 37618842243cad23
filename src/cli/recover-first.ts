import type { Engine } from '../container/engine.ts';
import { messageOf, SandboxError } from '../errors.ts';
import { DeadlineError, withDeadline } from '../lib/deadline.ts';
import { recover } from '../run/recover.ts';
import { connectEngine } from './connect.ts';
import { installation } from './installation.ts';
import { say } from './print.ts';
import { recoverApplies } from './recover-applies.ts';

/** Longest wait for the engine, and for it to remove what is left over, milliseconds. */
const CONNECT_MS = 1_500;
const RECOVER_MS = 10_000;

/**
 * What every command does first: clears up after controllers that were killed. Without an engine that answers at once it
 * is left to the next command, and the command goes on without one.
 */
export async function recoverFirst(): Promise<Engine | undefined> {
  await recoverApplies();
  let engine: Engine;
  try {
    engine = await withDeadline('the engine', CONNECT_MS, connectEngine());
  } catch {
    return undefined;
  }
  await recoverWith(engine);
  return engine;
}

/** The same with an engine that is known to answer. Never rejects: a leftover must not keep a command from its work. */
export async function recoverWith(engine: Engine): Promise<void> {
  try {
    const { reaped, closed } = await withDeadline('clearing up', RECOVER_MS, recover(installation, engine));
    for (const run of reaped) say(`Run ${run}: its controller was gone; what it left in the engine was removed.`);
    for (const run of closed) say(`Run ${run}: its controller ended without an outcome; that is now on record.`);
  } catch (error) {
    // The command meets the same state folder next, and says what to do about it.
    if (error instanceof SandboxError && error.code === 'state') return;
    if (!(error instanceof DeadlineError)) say(`pi-sandbox: leftovers could not be removed: ${messageOf(error)}`);
  }
}
