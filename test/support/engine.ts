import path from 'node:path';
import { afterAll } from 'vitest';
import { connectEngine } from '../../src/container/dockerode-client.ts';
import { findEndpoint } from '../../src/container/endpoint.ts';
import type { Engine } from '../../src/container/engine.ts';
import { guestFingerprint, productVersion } from '../../src/container/image/fingerprint.ts';
import { imageTag } from '../../src/container/image/names.ts';
import { GiB, MiB } from '../../src/lib/bytes.ts';
import { GUEST, uidPair } from '../../src/protocol/guest.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import type { ContainerPlan } from '../../src/protocol/plan.ts';

const root = path.join(import.meta.dirname, '../..');

/** The engine that the docker command would use. */
export async function testEngine(): Promise<Engine> {
  return connectEngine(await findEndpoint(process.env));
}

/** Name of the image of this very version. */
export async function testImage(): Promise<string> {
  return imageTag(await productVersion(root), await guestFingerprint(root));
}

/** Slot that tests of single containers use; runs start from random ones and go around it. */
const TEST_SLOT = 63;

/** A container as a small run would have it. */
export async function testContainerPlan(overrides: Partial<ContainerPlan> = {}): Promise<ContainerPlan> {
  const { bridge, agent } = uidPair(TEST_SLOT);
  const own = { uid: agent, mode: '0700' };
  return {
    image: await testImage(),
    networkDisabled: true,
    egress: false,
    slot: TEST_SLOT,
    bridgeUid: bridge,
    agentUid: agent,
    labels: { [LABEL.run]: 'test', [LABEL.installation]: `test-${process.pid}`, [LABEL.slot]: String(TEST_SLOT) },
    memory: 2 * GiB,
    bootCpus: 1,
    cpus: 1,
    pids: 256,
    openFiles: 16_384,
    fileSize: 256 * MiB,
    tmpfs: [
      { path: '/tmp', size: 64 * MiB, inodes: 8_192, mode: '1777', exec: true },
      { path: GUEST.spill, size: 64 * MiB, inodes: 1_024, exec: false, ...own },
      { path: GUEST.home, size: 64 * MiB, inodes: 8_192, exec: true, ...own },
      { path: GUEST.workspace, size: 256 * MiB, inodes: 65_536, exec: true, ...own },
    ],
    ...overrides,
  };
}

/** Removes these containers when the file is done, whatever happened. */
export function removedAfterwards(engine: () => Engine): (container: string) => string {
  const made: string[] = [];
  afterAll(async () => {
    for (const container of made) await engine().remove(container);
  });
  return (container) => {
    made.push(container);
    return container;
  };
}
