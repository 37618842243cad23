import path from 'node:path';
import type { Engine } from '../container/engine.ts';
import { sweepOwnedFolders } from '../container/owned-folder.ts';
import { controllerAlive, reap } from '../container/ownership.ts';
import { runFolderOf, unfinishedRuns } from '../transcript/run-list.ts';
import type { RunHost } from './host.ts';
import { knownInstallation } from './installation.ts';
import { closeLostRun } from './lost-run.ts';
import { recordedStart } from './recorded-start.ts';

/** Whose leftovers are meant: this machine and state folder. */
export type Installation = Pick<RunHost, 'machine' | 'stateRoot' | 'now'>;

export interface Recovered {
  /** Runs whose container or volume was removed. */
  readonly reaped: readonly string[];
  /** Runs that got the outcome which their controller could not write any more. */
  readonly closed: readonly string[];
}

const REMOVED = 'The controller ended without an outcome; its container was removed.';
const NONE_LEFT = 'The controller ended without an outcome; no container of it is left.';

/**
 * Clears up after controllers that were killed: removes their containers and volumes, writes the outcome they owe, and
 * removes the folders of their image builds. Alive is whoever answers on its socket; process ids are never looked at.
 */
export async function recover(installation: Installation, engine: Engine): Promise<Recovered> {
  const { stateRoot, now } = installation;
  const own = knownInstallation(installation);
  const reaped = own === undefined ? [] : await reap(engine, own, (run) => controlSocket(stateRoot, run));
  const closed: string[] = [];
  for (const run of unfinishedRuns(stateRoot)) {
    if (await controllerAlive(controlSocket(stateRoot, run))) continue;
    const removed = reaped.includes(run);
    // A run on another engine may still have a container there, so its end is left to a command that sees that engine.
    if (!removed && !(await couldBeHere(installation, run, engine))) continue;
    if (await closeLostRun(stateRoot, run, removed ? REMOVED : NONE_LEFT, now)) closed.push(run);
  }
  await sweepOwnedFolders(stateRoot);
  return { reaped, closed };
}

/** Control socket of a run, whether there is such a run or not. */
export function controlSocket(stateRoot: string, run: string): string {
  return path.join(runFolderOf(stateRoot, run), 'control');
}

/** A run that recorded no engine ended before it had asked one for a container. One of another machine may go on there. */
async function couldBeHere({ stateRoot, machine }: Installation, run: string, engine: Engine): Promise<boolean> {
  const start = await recordedStart(runFolderOf(stateRoot, run));
  return start === undefined || (start.machine === machine && start.engine.endpoint === engine.facts.endpoint);
}
