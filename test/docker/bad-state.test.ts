import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { lab } from '../support/lab.ts';
import { AS_ROOT, type Bad, expectRefused, good, NO_POWERS } from '../support/refused.ts';

let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

describe('a state folder that cannot be used', () => {
  const state: readonly Bad[] = [
    {
      name: 'is a link',
      exit: 5,
      says: ['/pi-sandbox cannot be used', 'symbolic link', 'XDG_STATE_HOME'],
      args: (home) => {
        symlinkSync(tempFolder(), home.root);
        return [...good(home), 'do', 'it'];
      },
    },
    {
      name: 'is open to others',
      exit: 5,
      says: ['others may write to it', 'chmod 700'],
      args: (home) => {
        mkdirSync(home.root);
        chmodSync(home.root, 0o777);
        return [...good(home), 'do', 'it'];
      },
    },
    {
      name: 'is a file',
      exit: 5,
      says: ['/pi-sandbox cannot be used', 'not a folder'],
      args: (home) => {
        writeFileSync(home.root, '');
        return [...good(home), 'do', 'it'];
      },
    },
    {
      name: 'cannot be written to',
      exit: 5,
      says: ['Cannot create', 'EACCES', 'XDG_STATE_HOME'],
      args: (home) => {
        chmodSync(path.dirname(home.root), 0o500);
        return [...good(home), 'do', 'it'];
      },
      options: () => ({ via: NO_POWERS }),
    },
    {
      name: 'has too long a path for a socket',
      exit: 5,
      says: ['control socket', 'bytes', 'shorter path'],
      options: (home) => ({ env: { XDG_STATE_HOME: path.join(path.dirname(home.root), 'x'.repeat(90)) } }),
    },
  ];
  it.each(state)('$name', async (bad) => {
    await expectRefused(engine, lab(), bad);
  });

  it.skipIf(!AS_ROOT)("is somebody else's", async () => {
    await expectRefused(engine, lab(), {
      exit: 5,
      says: ['belongs to user id 12345', 'not to you', 'XDG_STATE_HOME'],
      args: (home) => {
        mkdirSync(home.root, { mode: 0o700 });
        chownSync(home.root, 12345, 12345);
        return [...good(home), 'do', 'it'];
      },
    });
  });

  it.skipIf(!AS_ROOT)('has no room for a run', async () => {
    const home = lab();
    const state = path.dirname(home.root);
    smallDisk(state, '64k');
    writeFileSync(path.join(state, 'ballast'), Buffer.alloc(60 * 1024));
    await expectRefused(engine, home, { exit: 5, says: ['ENOSPC', 'free space'] });
  });

  it.skipIf(!AS_ROOT)(
    'that fills up while a run goes on costs the records, said once, and never a complete one (D81)',
    async () => {
      const home = lab();
      const state = path.dirname(home.root);
      smallDisk(state, '1m');
      const turn = `{ tools: [{ name: bash, arguments: { command: "seq 1 6000" } }] }`;
      const result = await home.run(`turns: [${Array(30).fill(turn).join(', ')}, { text: done }]`).ended;
      expect(result.stderr.match(/cannot be written/g)).toHaveLength(1);
      expect(result.stderr).not.toMatch(/\n\s+at /);
      expect(await home.containers(engine)).toEqual([]);
      const logs = await home.cli(['logs', String(home.runs()[0]), '--json']);
      expect(logs.code, logs.stderr).toBe(0);
      const lines = logs.stdout.trimEnd().split('\n');
      const records = lines.map((line) => JSON.parse(line) as { seq: number });
      expect(records.length).toBeGreaterThan(50);
      const numbers = records.map(({ seq }) => seq);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      // What was asked of the model must be on record, so the run cannot go on; how it ended still is.
      expect(result.code).toBe(5);
      expect(result.stderr).toMatch(/sandbox failed: .*(ledger|ENOSPC)/);
      expect(records.at(-1)).toMatchObject({ type: 'outcome', outcome: 'sandbox_failed', exitCode: 5 });
      const ls = await home.cli(['ls', '--json']);
      expect(JSON.parse(ls.stdout)).toMatchObject({ state: 'sandbox_failed' });
    },
  );

  it.skipIf(!AS_ROOT)('without room for what the agent changed says so, then and later', async () => {
    const home = lab();
    const full = 'head -c 3000000 /dev/urandom';
    smallDisk(path.dirname(home.root), '300k');
    const work = JSON.stringify(`${full} >large; ${full} | base64`);
    const result = await home.run(
      `turns: [{ tools: [{ name: bash, arguments: { command: ${work} } }] }, { text: done }]`,
    ).ended;
    expect(result.code).toBe(5);
    expect(result.stderr).toMatch(/sandbox failed: .*cannot be kept in .*ENOSPC/);
    const diff = await home.cli(['diff', String(home.runs()[0])]);
    expect(diff.code).toBe(5);
    expect(diff.stderr).toMatch(/could not be taken out.*ENOSPC.*is lost/);
    expect(await home.containers(engine)).toEqual([]);
  });
});

/** A file system of its own at a folder, so that it can be full. */
function smallDisk(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'pi-sandbox-test', folder]);
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
}
