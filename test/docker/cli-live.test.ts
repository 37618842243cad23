import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import { SandboxRecord } from '../../src/protocol/record.ts';
import { RunDetails } from '../../src/protocol/run-details.ts';
import { type LiveCli, runCli, scenario, startCli, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';

const RUN_ID = /^\d{8}T\d{6}-[0-9a-f]{6}$/;

/** More than pi shows to the model, so that the whole lies in a file of the container; then a command that goes on. */
const SPILL_AND_WAIT = `
turns:
  - tools:
      - { name: bash, arguments: { command: "seq 60000" } }
  - tools:
      - { name: bash, arguments: { command: "echo waiting; sleep 600" } }
  - text: never said
`;
const SPILL_AND_END = `
turns:
  - tools:
      - { name: bash, arguments: { command: "seq 60000" } }
  - text: counted
`;
const SEQUENCE = Array.from({ length: 60_000 }, (_, at) => `${at + 1}\n`).join('');

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
  await imageReady();
}, IMAGE_MS);

/** A repository, a state folder and what is needed to run on them. */
function place() {
  const home = tempFolder();
  const repo = path.join(home, 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), 'hello\n');
  const options = { env: { XDG_STATE_HOME: home }, cwd: repo, timeoutMs: 100_000 };
  return {
    repo,
    cli: (...args: string[]) => runCli(args, options),
    begin: (yaml: string, ...more: string[]): LiveCli =>
      startCli(['run', repo, 'count', '--model', scenario(yaml), ...more], options),
    follow: (...args: string[]): LiveCli => startCli(args, options),
  };
}

async function onlyRun(cli: (...args: string[]) => ReturnType<typeof runCli>): Promise<string> {
  const { run } = JSON.parse((await cli('ls', '--json')).stdout) as { run: string };
  expect(run).toMatch(RUN_ID);
  return run;
}

test('a live run is listed, followed, asked for an output and stopped, and nothing of it is left', async () => {
  const { cli, begin, follow } = place();
  const live = begin(SPILL_AND_WAIT);
  await live.until('[2] bash');
  const run = await onlyRun(cli);
  expect((await cli('ls')).stdout).toMatch(new RegExp(`^${run} .* running `, 'm'));
  expect((await cli('show')).stdout).toContain('running');

  const whole = await cli('output', 'last', '1');
  expect(whole).toMatchObject({ code: 0, stderr: expect.stringContaining(`Run ${run} (last of `) });
  expect(whole.stdout).toBe(SEQUENCE);
  const unfinished = await cli('output', run, '2');
  expect(unfinished).toMatchObject({ code: 2, stdout: '' });
  expect(unfinished.stderr).toContain('is still running');
  expect((await cli('rm', run)).code).toBe(2);

  const log = follow('logs', '-f', run);
  await log.until('[2] bash');
  const stopped = await cli('stop', run);
  expect(stopped).toMatchObject({ code: 0, stdout: '' });
  expect(stopped.stderr).toContain(`Run ${run} has ended: interrupted`);
  expect(await log.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('interrupted') });
  expect((await live.ended).code).toBe(143);
  expect(await engine.list({ [LABEL.run]: run })).toEqual([]);
  expect((await cli('stop', run)).stderr).toContain('is not running: interrupted');

  const rest = await cli('output', run, '1');
  expect(rest.code).toBe(0);
  expect(SEQUENCE.trimEnd().endsWith(rest.stdout.split('\n\n[')[0]!)).toBe(true);
  expect(rest.stderr).toContain('the rest ended with the container');
  expect((await cli('rm', run)).code).toBe(0);
  expect((await cli('ls', '--json')).stdout).toBe('');
});

test('what was kept is given whole when the container is gone, and show says where everything is', async () => {
  const { cli, begin } = place();
  expect((await begin(SPILL_AND_END, '--keep-outputs').ended).code).toBe(0);
  const run = await onlyRun(cli);
  expect((await cli('output', run, '[1]')).stdout).toBe(SEQUENCE);

  const shown = JSON.parse((await cli('show', run, '--json')).stdout) as RunDetails;
  expect([...Value.Errors(RunDetails, shown)]).toEqual([]);
  expect(shown).toMatchObject({
    state: 'completed',
    prompt: 'count',
    posture: { evidence: expect.stringMatching(/^(host|probe)$/), findings: [] },
    ledger: { requests: 2, unsettled: 0, refused: 0, damaged: 0 },
    damaged: [],
  });
  expect(shown.files.some(({ name, bytes }) => name.startsWith('outputs/') && bytes === SEQUENCE.length)).toBe(true);
  expect((await cli('show', run)).stdout).toMatch(/^Isolation +the container is what the plan asked for/m);

  const records = (await cli('logs', run, '--json')).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  for (const record of records) expect(Value.Check(SandboxRecord, record)).toBe(true);
  expect(records.at(-1)).toMatchObject({ type: 'outcome', outcome: 'completed' });
});

test('a run whose controller is killed is closed and cleared by the next command', async () => {
  const { cli, begin } = place();
  const live = begin(SPILL_AND_WAIT);
  await live.until('[2] bash');
  const run = await onlyRun(cli);
  live.child.kill('SIGKILL');
  await live.ended;
  const listed = await cli('ls');
  expect(listed.stdout).toMatch(new RegExp(`^${run} .* sandbox failed `, 'm'));
  expect(listed.stderr).toContain(`Run ${run}: its controller ended without an outcome`);
  expect(await engine.list({ [LABEL.run]: run })).toEqual([]);
  const log = await cli('logs', run, '-f');
  expect(log).toMatchObject({ code: 0, stdout: expect.stringContaining('its container was removed') });
  expect((await cli('show', run)).stdout).toMatch(/^Exit code +5$/m);
});

test('rm --force ends a running run first', async () => {
  const { cli, begin } = place();
  const live = begin(SPILL_AND_WAIT);
  await live.until('[2] bash');
  const run = await onlyRun(cli);
  expect((await cli('rm', run, '--force')).stderr).toContain(`Run ${run} was removed.`);
  expect((await live.ended).code).toBe(143);
  expect(await engine.list({ [LABEL.run]: run })).toEqual([]);
  expect((await cli('ls')).stdout).toBe('');
});
