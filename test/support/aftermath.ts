import { expect } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import type { LiveCli } from './cli.ts';
import { allGone, eventually } from './host-processes.ts';
import type { Lab } from './lab.ts';

/** Time after which nothing runs any more when a controller was killed, on an engine of this machine, milliseconds. */
export const DEAD_MAN_MS = 3_000;

/** SIGKILL for the controller and everything it started, as a supervisor or an out-of-memory kill would do. */
export async function killGroup(cli: LiveCli): Promise<void> {
  process.kill(-(cli.child.pid ?? Number.NaN), 'SIGKILL');
  expect((await cli.ended).code).toBeNull();
}

/**
 * What is promised for the time after a killed controller: nothing of ours runs, the next command removes the dead
 * record, and the transcript so far can be read. Returns the milliseconds until the last process was gone.
 */
export async function expectNothingRunsOn(lab: Lab, engine: Engine): Promise<number> {
  let slowest = 0;
  for (const { id } of await lab.containers(engine)) {
    slowest = Math.max(slowest, await allGone(id, DEAD_MAN_MS));
    const stopped = async () => (await engine.state(id))?.running !== true;
    await eventually('the engine knows that the container has ended', DEAD_MAN_MS, stopped);
  }
  const ls = await lab.cli(['ls', '--json']);
  expect(ls.code, ls.stderr).toBe(0);
  expect(await lab.containers(engine)).toEqual([]);
  for (const line of ls.stdout.trim().split('\n').filter(Boolean)) {
    expect(JSON.parse(line)).toMatchObject({ state: 'sandbox_failed' });
  }
  for (const run of lab.runs()) await expectReadable(lab, run);
  return slowest;
}

/** The transcript is whole as far as it goes, numbered without gaps but for live progress, and ends with an outcome. */
async function expectReadable(lab: Lab, run: string): Promise<void> {
  const logs = await lab.cli(['logs', run, '--json']);
  expect(logs.code, logs.stderr).toBe(0);
  const records = logs.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; type: string });
  const numbers = records.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(records.at(-1)).toMatchObject({ type: 'outcome', outcome: 'sandbox_failed', exitCode: 5 });
}
