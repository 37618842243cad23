import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from './engine.ts';

/** Longest wait for the engine to note an exit code after the stream has ended, and between two looks, milliseconds. */
const EXIT_MS = 5_000;
const POLL_MS = 10;

/**
 * Exit code of a process whose stream has ended: the engine closes the stream a moment before it notes the code. Null
 * when there is none. A container that is killed ends the stream in order.
 */
export async function execExit(engine: Engine, exec: string): Promise<number | null> {
  const until = performance.now() + EXIT_MS;
  for (;;) {
    const state = await engine.execState(exec);
    if (!state.running || performance.now() > until) return state.exitCode;
    await delay(POLL_MS);
  }
}
