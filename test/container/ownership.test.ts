import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ContainerSummary, Engine } from '../../src/container/engine.ts';
import { controllerAlive, freeSlot, installationId, reap } from '../../src/container/ownership.ts';
import { SLOT_COUNT } from '../../src/protocol/guest.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import { refusal } from '../plan/support.ts';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'own-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A controller that answers on this socket. Ends with the test. */
async function listening(socket: string): Promise<void> {
  const server = createServer((client) => client.destroy());
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
}

/** A socket file that nobody listens on any more, as a killed controller leaves it. */
async function abandoned(socket: string): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  const code = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
  expect(spawnSync(process.execPath, ['-e', code]).signal).toBe('SIGKILL');
}

function container(run: string, installation: string, slot = 0): ContainerSummary {
  const labels = { [LABEL.run]: run, [LABEL.installation]: installation, [LABEL.slot]: String(slot) };
  return { id: `c-${run}`, labels, state: 'running', created: 0 };
}

/** Lists as an engine does, by labels, and remembers what was removed. */
function engineWith(containers: ContainerSummary[], volumes: ContainerSummary[] = []) {
  const removed: string[] = [];
  const fits = (wanted: Readonly<Record<string, string | true>>) => (thing: ContainerSummary) =>
    Object.entries(wanted).every(([name, value]) =>
      value === true ? name in thing.labels : thing.labels[name] === value,
    );
  const engine: Pick<Engine, 'list' | 'volumes' | 'remove' | 'removeVolume'> = {
    list: async (labels) => containers.filter(fits(labels)),
    volumes: async (labels) =>
      volumes.filter(fits(labels)).map(({ id, labels: own }) => ({ name: id, labels: { ...own } })),
    remove: async (id) => void removed.push(id),
    removeVolume: async (name) => void removed.push(`volume ${name}`),
  };
  return { engine: engine as Engine, removed };
}

describe('an installation', () => {
  test('is one state folder on one machine', () => {
    const own = { machine: 'a', token: 's\n' };
    const ids = [own, { ...own, machine: 'b' }, { ...own, token: 't\n' }].map(installationId);
    expect(new Set(ids).size).toBe(3);
    expect(installationId({ machine: 'a', token: 's' })).toBe(ids[0]);
  });
});

describe('a pair of user ids', () => {
  test('is never one that a container holds, whoever started it', () => {
    const held = [container('r1', 'mine', 5), container('r2', 'other', 6)];
    expect(freeSlot(held, 5)).toBe(7);
    expect(freeSlot([], 5)).toBe(5);
    expect(freeSlot([container('r', 'mine', SLOT_COUNT - 1)], SLOT_COUNT - 1)).toBe(0);
    // One that has ended runs nothing under its ids, and nobody may ever remove it.
    expect(freeSlot([{ ...container('r', 'other', 5), state: 'exited' }], 5)).toBe(5);
  });

  test('is refused with what to do when all are taken', () => {
    const held = Array.from({ length: SLOT_COUNT }, (_, slot) => container(`r${slot}`, 'mine', slot));
    expect(refusal(() => freeSlot(held, 0)).hint).toContain('pi-sandbox stop');
    expect(freeSlot(held.slice(1), 9)).toBe(0);
  });
});

describe('a controller is alive', () => {
  test('when its socket takes a connection, and not when that is refused or there is none', async () => {
    const where = folder();
    const [live, dead] = [path.join(where, 'live'), path.join(where, 'dead')];
    await listening(live);
    await abandoned(dead);
    expect(await controllerAlive(live)).toBe(true);
    expect(await controllerAlive(dead)).toBe(false);
    expect(await controllerAlive(path.join(where, 'none'))).toBe(false);
  });
});

describe('leftovers', () => {
  test('of dead controllers of this installation are removed, and nothing else', async () => {
    const where = folder();
    const socketOf = (run: string) => path.join(where, run);
    await listening(socketOf('live'));
    await abandoned(socketOf('dead'));
    const { engine, removed } = engineWith(
      [
        container('live', 'mine'),
        container('dead', 'mine'),
        container('gone', 'mine'),
        container('theirs', 'other'),
        { id: 'foreign', labels: {}, state: 'running', created: 0 },
      ],
      [container('dead', 'mine'), container('theirs', 'other')],
    );
    const reaped = await reap(engine, 'mine', socketOf);
    expect(reaped.sort()).toEqual(['dead', 'gone']);
    expect(removed.sort()).toEqual(['c-dead', 'c-gone', 'volume c-dead']);
  });
});
