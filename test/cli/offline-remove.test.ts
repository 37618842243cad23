import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { offline, silentSocket } from '../support/offline.ts';
import { COMPLETED, listedPlan, writeRun } from '../support/runs.ts';

const OLD = '20200101T000000-aaaaaa';
const OLDER = '20190101T000000-bbbbbb';
const FUTURE = '20990101T000000-cccccc';

function withRuns() {
  const cli = offline();
  const folders = [OLDER, OLD, FUTURE].map((id) =>
    writeRun(cli.home, id, { 'plan.json': listedPlan('/r'), 'outcome.json': COMPLETED, 'outputs/x.log': 'x' }),
  );
  return { ...cli, left: () => readdirSync(cli.runs).sort(), folders };
}

test('rm removes the whole folder of the run that was meant', async () => {
  const { run, left } = withRuns();
  expect(await run(['rm', '2020'])).toMatchObject({ code: 0, stdout: '', stderr: `Run ${OLD} was removed.\n` });
  expect(left()).toEqual([OLDER, FUTURE]);
});

test('rm refuses a prefix of several runs and removes none', async () => {
  const { run, left } = withRuns();
  const ended = await run(['rm', '20']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('stands for 3 runs');
  expect(left()).toHaveLength(3);
});

test('rm refuses a running run and says how to end it', async () => {
  const { run, folders } = withRuns();
  await silentSocket(path.join(folders[1]!, 'control'));
  const ended = await run(['rm', OLD]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(`pi-sandbox stop ${OLD}`);
  expect(existsSync(folders[1]!)).toBe(true);
});

test('stop of a run that does not run says so and is no error', async () => {
  const { run } = withRuns();
  expect(await run(['stop', OLD])).toMatchObject({ code: 0, stderr: `Run ${OLD} is not running: completed.\n` });
  expect((await run(['stop', 'nothing'])).code).toBe(2);
});

test('prune lists what it would remove, and without a terminal removes nothing unless told', async () => {
  const { run, left } = withRuns();
  const listed = /^run {2}20190101T000000-bbbbbb .*\nrun {2}20200101T000000-aaaaaa .*\n$/;
  const dry = await run(['prune', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(listed) });
  const asked = await run(['prune']);
  expect(asked).toMatchObject({ code: 2, stdout: expect.stringMatching(listed) });
  expect(asked.stderr).toContain('--yes');
  expect(left()).toHaveLength(3);
  expect(await run(['prune', '--yes'])).toMatchObject({ code: 0, stderr: 'Removed 2 items.\n' });
  expect(left()).toEqual([FUTURE]);
  expect((await run(['prune', '--yes'])).stderr).toContain('Nothing to remove: no run is older than 30d');
});

test('prune takes an age of nothing for every run that has ended', async () => {
  const { run, home, runs } = offline();
  writeRun(home, '20261130T021610-3f9a2c', { 'plan.json': listedPlan('/r'), 'outcome.json': COMPLETED });
  expect((await run(['prune', '--older-than', '0s', '--yes'])).code).toBe(0);
  expect(readdirSync(runs)).toEqual([]);
});

test('prune leaves a running run alone, however old', async () => {
  const { run, folders, left } = withRuns();
  await silentSocket(path.join(folders[0]!, 'control'));
  await run(['prune', '--yes', '--older-than', '1d']);
  expect(left()).toEqual([OLDER, FUTURE]);
});
