import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { MiB } from '../../src/lib/bytes.ts';
import { diskBytes, MemoryWatch } from '../support/controller.ts';
import { testEngine } from '../support/engine.ts';
import { endOf, isStart, ofType, piEvents, textOf } from '../support/pi-records.ts';
import { agentOf } from '../support/run-container.ts';
import { bash, Session } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', { 'README.md': 'hello\n' });
const MEMORY_GROWTH = 40 * MiB;
const DISK_GROWTH = 20 * MiB;

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
});

/** Folder that the engine keeps for a container; its log would be there. */
async function engineFolder(container: string): Promise<string> {
  const { ResolvConfPath } = (await engine.inspect(container)) as { ResolvConfPath: string };
  const folder = path.dirname(ResolvConfPath);
  if (!existsSync(folder))
    throw new Error(`${folder} cannot be looked into: these tests need an engine on this machine, and root`);
  return folder;
}

describe('a command that never stops printing', () => {
  test.each([
    ['yes for ten seconds', { command: 'timeout 10 yes; echo status $?' }, 'status 124'],
    ['a line of 200 MB', { command: "head -c 200000000 /dev/zero | tr '\\0' x; echo; echo end" }, 'end'],
    [
      '20 MB without a newline, and 3 MB of zero bytes (D05)',
      { command: "head -c 20000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero; echo end" },
      'end',
    ],
  ])('%s: the controller stays small, the disk is spared, the agent goes on (D18)', async (_what, flood, last) => {
    const live = session.start(repo, [
      bash(flood),
      { expect: last, ...bash('echo alive') },
      { expect: 'alive', text: 'done' },
    ]);
    const { container } = await agentOf(engine, live);
    const folders = [await engineFolder(container), path.join(session.runs, live.records[0]?.run ?? '')];
    const disk = (): number => folders.reduce((sum, folder) => sum + diskBytes(folder), 0);
    const before = disk();
    using memory = new MemoryWatch(live.child.pid ?? 0);
    await live.until((record) => isStart(record, 'call_2_1'));
    const grown = disk() - before;
    const run = await live.ended;
    expect(run.code).toBe(0);
    expect(memory.samples).toBeGreaterThan(10);
    expect(memory.growth).toBeLessThan(MEMORY_GROWTH);
    expect(grown).toBeLessThan(DISK_GROWTH);
    expect(textOf(run.records, 'call_1_1')).toContain(last);
    expect(endOf(run.records, 'call_2_1').isError).toBe(false);
    expect(ofType(run.records, 'pi_exit')).toMatchObject({ code: 0, damaged: { overlong: 0, torn: 0 } });
    expect(piEvents(run.records, 'agent_settled')).toHaveLength(1);
  });
});
