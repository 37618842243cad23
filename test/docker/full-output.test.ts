import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { testEngine } from '../support/engine.ts';
import { endOf, isUpdate, ofType, textOf } from '../support/pi-records.ts';
import { agentOf } from '../support/run-container.ts';
import { bash, Session } from '../support/session.ts';
import { execIn, hostPath } from '../support/view.ts';

const session = new Session();
const repo = session.repository('repo', { 'README.md': 'hello\n' });
const SEQ_60000 = Buffer.from(Array.from({ length: 60_000 }, (_, line) => `${line + 1}\n`).join(''));
const GO = '/tmp/go';
const UNTIL_GO = `until [ -e ${GO} ]; do sleep 0.02; done`;

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
});

/** Mode in octal, owner and name of the spill folder and its files: by the engine, and where the test is root by the host too. */
async function spillModes(container: string, uid: number): Promise<string[]> {
  const seen = await execIn(engine, container, uid, '/usr/bin/find', GUEST.spill, '-printf', '%#m %U %f\\n');
  const modes = seen.trim().split('\n').sort();
  if (process.getuid?.() === 0) {
    const folder = await hostPath(engine, container, GUEST.spill);
    const onHost = [folder, ...readdirSync(folder).map((name) => path.join(folder, name))].map((file) => {
      const { mode, uid: owner } = lstatSync(file);
      return `0${(mode & 0o7777).toString(8)} ${owner} ${path.basename(file)}`;
    });
    expect(onHost.sort()).toEqual(modes);
  }
  return modes;
}

describe('the full output of a command (M7)', () => {
  test('is a private file in the container from its first byte, can be had while the run goes on, and is gone with it (D16)', async () => {
    const live = session.start(repo, [
      bash(`umask 0; seq 1 60000; ${UNTIL_GO}; echo last`),
      bash(`rm ${GO}; echo at-second; ${UNTIL_GO}`),
      { text: 'done' },
    ]);
    const run = live.records;
    // While the command still runs, pi has opened the file and writes to it.
    await live.until((record) => isUpdate(record, '60000'));
    const { container, uid } = await agentOf(engine, live);
    const [folder, file, ...others] = (await spillModes(container, uid)).sort((a, b) => b.localeCompare(a));
    expect(others).toEqual([]);
    expect(folder).toBe(`0700 ${uid} spill`);
    expect(file).toMatch(new RegExp(`^0600 ${uid} pi-bash-[0-9a-f]{16}\\.log$`));
    await execIn(engine, container, uid, '/bin/touch', GO);

    await live.until((record) => isUpdate(record, 'at-second'));
    const id = run[0]?.run ?? '';
    const output = await session.cli(['output', id, 'call_1_1']);
    expect(output.code).toBe(0);
    expect(output.stdout.equals(Buffer.concat([SEQ_60000, Buffer.from('last\n')]))).toBe(true);
    expect((await spillModes(container, uid)).at(0)).toMatch(/^0600 /);
    await execIn(engine, container, uid, '/bin/touch', GO);

    expect((await live.ended).code).toBe(0);
    expect(await engine.inspect(container)).toBeUndefined();
    const late = await session.cli(['output', id, 'call_1_1']);
    expect(late.stderr.toString()).toContain('the rest ended with the container; --keep-outputs saves it next time');
    expect(late.stdout.toString().trimEnd()).toBe(textOf(run, 'call_1_1'));
    expect(readdirSync(path.join(session.runs, id))).not.toContain('outputs');
  });

  test('is kept when the run was asked to, byte for byte, private, and found by output (D17, D72)', async () => {
    const run = await session.run(
      repo,
      [
        bash(
          'seq 1 60000',
          'seq 1 3000',
          'echo short',
          'head -c 300000 /dev/urandom > /tmp/r; cat /tmp/r; sha256sum < /tmp/r >&2',
        ),
        { text: 'done' },
      ],
      { args: ['--keep-outputs'] },
    );
    const id = ofType(run.records, 'outcome').run;
    expect(ofType(run.records, 'outputs_kept')).toMatchObject({ kept: 3, leftOut: 0 });
    expect((await session.cli(['output', id, 'call_1_1'])).stdout.equals(SEQ_60000)).toBe(true);
    // Short by bytes, and cut by its lines: whole all the same.
    const short = await session.cli(['output', id, 'call_1_2']);
    expect(short.stdout.toString()).toBe(Array.from({ length: 3_000 }, (_, line) => `${line + 1}\n`).join(''));
    expect((await session.cli(['output', id, 'call_1_3'])).stdout.toString()).toBe('short\n');
    const folder = path.join(session.runs, id, 'outputs');
    expect(lstatSync(folder).mode & 0o7777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(lstatSync(path.join(folder, name)).mode & 0o7777).toBe(0o600);
    expect(endOf(run.records, 'call_1_2').result.details?.['fullOutputPath']).toMatch(/^\/spill\/pi-bash-/);
    expect(readFileSync(path.join(session.runs, id, 'events.jsonl')).length).toBeGreaterThan(0);
  });

  test('of a call that never was, or that was never cut, is a clear answer', async () => {
    const run = await session.run(repo, [bash('echo short'), { text: 'done' }]);
    const id = ofType(run.records, 'outcome').run;
    const unknown = await session.cli(['output', id, 'call_9_9']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr.toString()).toContain('call_9_9');
    expect((await session.cli(['output', id, 'call_1_1'])).stdout.toString()).toBe('short\n');
  });
});
