import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { SandboxError } from '../errors.ts';
import { SLOT_COUNT } from '../protocol/guest.ts';
import { LABEL } from '../protocol/labels.ts';
import type { ContainerSummary, Engine } from './engine.ts';

/**
 * Name of one installation. Containers carry it, so that nobody removes what belongs to another. The token is random and
 * lies in the state folder: host names, users and paths are equal on many machines that share an engine. The machine's
 * name is part of it for state folders that several machines share: a socket of another machine refuses connections.
 */
export function installationId({ machine, token }: { machine: string; token: string }): string {
  return createHash('sha256').update(`${machine}\0${token.trim()}`).digest('hex').slice(0, 16);
}

/** A pair of user ids that no container of this engine holds. Throws SandboxError `engine` when all are taken. */
export function freeSlot(containers: readonly ContainerSummary[], prefer: number): number {
  const taken = new Set(containers.filter(holdsSlot).map((container) => Number(container.labels[LABEL.slot])));
  for (let offset = 0; offset < SLOT_COUNT; offset++) {
    const slot = (prefer + offset) % SLOT_COUNT;
    if (!taken.has(slot)) return slot;
  }
  throw new SandboxError(
    'engine',
    `All ${SLOT_COUNT} pairs of user ids are in use by running sandboxes on this engine.`,
    {
      hint: 'Wait for a run to end, or end one with "pi-sandbox stop".',
    },
  );
}

/** A container that has ended runs nothing under its user ids. */
export function holdsSlot(container: ContainerSummary): boolean {
  return container.state !== 'exited' && container.state !== 'dead';
}

/** Containers of ours on this engine, whoever started them. */
export function ourContainers(engine: Engine): Promise<ContainerSummary[]> {
  return engine.list({ [LABEL.run]: true });
}

/** Longest wait for an answer of a control socket, milliseconds. */
const CONNECT_MS = 1_000;

/**
 * Whether a controller listens on the control socket of its run. Only a refused connection or a missing socket means
 * that it is gone; a slow one counts as alive.
 */
export function controllerAlive(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const finish = (alive: boolean): void => {
      socket.destroy();
      resolve(alive);
    };
    socket.setTimeout(CONNECT_MS, () => finish(true));
    socket.once('connect', () => finish(true));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      finish(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

/**
 * Removes containers and volumes of this installation whose controller is gone. Returns the run ids that had any.
 * Never goes by process id, never touches a run whose controller answers, never somebody else's.
 */
export async function reap(engine: Engine, installation: string, socketOf: (run: string) => string): Promise<string[]> {
  const mine = { [LABEL.run]: true, [LABEL.installation]: installation } as const;
  const [containers, volumes] = await Promise.all([engine.list(mine), engine.volumes(mine)]);
  const runs = new Set([...containers, ...volumes].map((thing) => thing.labels[LABEL.run] ?? ''));
  const dead: string[] = [];
  for (const run of runs) {
    if (await controllerAlive(socketOf(run))) continue;
    for (const container of containers.filter(({ labels }) => labels[LABEL.run] === run))
      await engine.remove(container.id);
    for (const volume of volumes.filter(({ labels }) => labels[LABEL.run] === run))
      await engine.removeVolume(volume.name);
    dead.push(run);
  }
  return dead;
}
