import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { watchDisk } from '../../src/container/disk-watch.ts';
import type { Engine } from '../../src/container/engine.ts';
import { runExec } from '../../src/container/run-exec.ts';
import { MiB } from '../../src/lib/bytes.ts';
import { containerSpec } from '../../src/plan/container-spec.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { runCli, scenario, tempFolder } from '../support/cli.ts';
import { testContainerPlan, testEngine } from '../support/engine.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await testEngine();
});

/** A started container with a volume, removed with it after the test. */
async function withVolume(): Promise<{ container: string; agentUid: number; bridgeUid: number }> {
  const base = await testContainerPlan();
  const name = `pi-sandbox-test-${process.pid}-${Date.now()}`;
  const tmpfs = base.tmpfs.filter((mount) => mount.path !== GUEST.workspace);
  const plan = { ...base, tmpfs, volume: { name, target: GUEST.volume, size: 10 * MiB } };
  await engine.createVolume(name, plan.labels);
  onTestFinished(() => engine.removeVolume(name));
  const container = await engine.create(containerSpec(plan));
  onTestFinished(() => engine.remove(container));
  await engine.start(container);
  return { container, agentUid: plan.agentUid, bridgeUid: plan.bridgeUid };
}

describe('a workspace on a disk volume', () => {
  it('ends the run when it grows past its size, which no quota of the engine would', async () => {
    const { container, agentUid, bridgeUid } = await withVolume();
    const volume = { engine, container, agentUid, bridgeUid, path: GUEST.volume, size: 10 * MiB };
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const write = (megabytes: number) =>
      runExec(engine, container, {
        uid: agentUid,
        cmd: ['/bin/bash', '-c', `head -c ${megabytes * MiB} /dev/zero > ${GUEST.volume}/big`],
        maxBytes: 1024,
        deadlineMs: 20_000,
      });
    expect((await write(20)).exitCode).toBe(0);
    expect(await watchDisk(volume, stop.signal)).toMatch(/grew to \d+ bytes, more than 10485760/);
    // The neighbour that must be let through: under the size nothing is reported until the watch is told to end.
    expect((await write(1)).exitCode).toBe(0);
    const watching = watchDisk(volume, stop.signal);
    expect(await Promise.race([watching, write(2).then(() => 'still watching')])).toBe('still watching');
    stop.abort();
    expect(await watching).toBeUndefined();
  });

  it('works like one in memory, says what it is, and is gone afterwards', async () => {
    const folder = tempFolder();
    const repo = path.join(folder, 'repo');
    mkdirSync(repo);
    writeFileSync(path.join(repo, 'README.md'), '# volume\n');
    const model = scenario(`
turns:
  - tools:
      - { name: bash, arguments: { command: "pwd; git log --oneline; git status --short | wc -l; id -u; stat -c '%a %u' ." } }
  - expect: ["${GUEST.volumeWorkspace}", Start state]
    text: Done.
`);
    const half = Math.ceil(engine.facts.memory / 2) + MiB;
    const env = { XDG_STATE_HOME: path.join(folder, 'state') };
    const result = await runCli(['run', repo, 'look', '--model', model, '--disk', String(half), '--json'], { env });
    expect(result.code, result.stderr).toBe(0);
    expect(result.stdout).toContain('lies on a disk volume');
    const run = (JSON.parse(result.stdout.split('\n')[0] ?? '{}') as { run: string }).run;
    const volumes = await engine.volumes({ 'pi-sandbox.run': run });
    expect(volumes).toEqual([]);
  });
});
