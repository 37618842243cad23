import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { expect, test } from 'vitest';
import { RunDetails } from '../../src/protocol/run-details.ts';
import { RunEntry } from '../../src/protocol/run-entry.ts';
import { BIN } from '../support/cli.ts';
import { NO_ENGINE, offline, silentSocket } from '../support/offline.ts';
import { onTerminal } from '../support/pty.ts';
import { COMPLETED, listedPlan, stamped, startedOn, writeRun } from '../support/runs.ts';

const OLD = '20200101T000000-aaaaaa';
const NEW = '20261130T021610-3f9a2c';

test('nothing is created by looking', async () => {
  const { run, home } = offline();
  expect(await run(['ls'])).toMatchObject({ code: 0, stdout: '', stderr: 'There are no runs yet.\n' });
  expect(await run(['ls', '--json'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect((await run(['show'])).code).toBe(2);
  expect(readdirSync(home)).toEqual([]);
});

test('a state folder that cannot be is said once, with a way out', async () => {
  const { code, stderr } = await offline().run(['ls'], { env: { XDG_STATE_HOME: '/dev/null' } });
  expect(code).toBe(5);
  expect(stderr).toMatch(/^pi-sandbox: Cannot list the state folder \/dev\/null\/.*: ENOTDIR\. .*XDG_STATE_HOME.*\n$/);
});

test('on a terminal a long scenario path gives way to the repository, elsewhere nothing does', async () => {
  const { run, home } = offline();
  const model = { spec: `scripted:/${'deep/'.repeat(60)}tour.yaml` };
  const plan = { profile: 'edit', model, workspace: { root: '/the/repository' } };
  writeRun(home, OLD, { 'plan.json': plan, 'outcome.json': COMPLETED });
  expect((await run(['ls'])).stdout).toContain(model.spec);
  const tty = onTerminal([process.execPath, BIN, 'ls'], {
    ...process.env,
    XDG_STATE_HOME: home,
    DOCKER_HOST: NO_ENGINE,
  });
  expect(await tty.ended).toBe(0);
  const row = tty.shown.split('\r\n').find((line) => line.startsWith(OLD));
  expect(row).toMatch(/scripted:….*tour\.yaml {2}\/the\/repository$/);
  expect(row).toHaveLength(200);
});

test('ls shows the newest first, with what became of each', async () => {
  const { run, home } = offline();
  writeRun(home, OLD, { 'plan.json': listedPlan('/old'), 'outcome.json': COMPLETED });
  const folder = writeRun(home, NEW, { 'plan.json': listedPlan('/new') });
  const lost = await run(['ls']);
  const [head, first, second] = lost.stdout.split('\n');
  expect(head).toMatch(/^RUN +AGE +STATE +CHANGED +PROFILE +MODEL +REPOSITORY$/);
  expect(first).toMatch(/^20261130T021610-3f9a2c .* lost: controller gone, no outcome +edit +scripted:s.yaml +\/new$/);
  expect(second).toMatch(/^20200101T000000-aaaaaa +\d+ d +completed .*\/old$/);
  await silentSocket(path.join(folder, 'control'));
  expect((await run(['ls'])).stdout).toMatch(/3f9a2c .* running /);
});

test('ls --json prints one entry of the published form per line', async () => {
  const { run, home } = offline();
  writeRun(home, OLD, { 'plan.json': listedPlan('/old'), 'outcome.json': COMPLETED });
  writeRun(home, NEW, { 'plan.json': '{ damaged' });
  const lines = (await run(['ls', '--json'])).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines).toHaveLength(2);
  for (const line of lines) expect([...Value.Errors(RunEntry, line)]).toEqual([]);
  expect(lines[0]).toMatchObject({ run: NEW, state: 'lost' });
  expect(lines[1]).toMatchObject({ run: OLD, state: 'completed', repo: '/old', outcome: COMPLETED });
});

test('what a repository is called cannot forge a line or a colour', async () => {
  const { run, home } = offline();
  writeRun(home, NEW, { 'plan.json': listedPlan('/a\n20990101T000000-ffffff\u001b[31m'), 'outcome.json': COMPLETED });
  const { stdout } = await run(['ls']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stdout).not.toContain('\u001b');
});

test('show --json has the published form and names what is damaged', async () => {
  const { run, home } = offline();
  const events = stamped(NEW, [startedOn('/var/run/docker.sock')]);
  writeRun(home, NEW, { 'plan.json': listedPlan('/r'), 'events.jsonl': events, 'outcome.json': COMPLETED });
  const details = JSON.parse((await run(['show', '2026', '--json'])).stdout) as unknown;
  expect([...Value.Errors(RunDetails, details)]).toEqual([]);
  expect(details).toMatchObject({
    v: 1,
    run: NEW,
    state: 'completed',
    leftOut: { ignored: 3 },
    outcome: COMPLETED,
    damaged: [expect.stringContaining('plan.json is damaged')],
  });
  const text = (await run(['show', NEW])).stdout;
  expect(text).toMatch(/^State +completed: The model ended/m);
  expect(text).toMatch(/^Left out +3 ignored$/m);
  expect(text).toMatch(/^Isolation +not on record/m);
  expect(text).toMatch(/^Damaged +.*plan\.json/m);
});

test('last is the last of the repository around the current folder, and it is said which', async () => {
  const { run, home } = offline();
  const repo = path.join(home, 'repo');
  mkdirSync(path.join(repo, 'deep/er'), { recursive: true });
  writeRun(home, OLD, { 'plan.json': listedPlan(repo), 'outcome.json': COMPLETED });
  writeRun(home, NEW, { 'plan.json': listedPlan('/elsewhere'), 'outcome.json': COMPLETED });
  const inside = await run(['show'], { cwd: path.join(repo, 'deep/er') });
  expect(inside.stderr).toBe(`Run ${OLD} (last of ${repo})\n`);
  expect((await run(['show'])).stderr).toBe(`Run ${NEW} (last of all)\n`);
  mkdirSync(path.join(repo, 'deep/.git'));
  const other = await run(['show'], { cwd: path.join(repo, 'deep/er') });
  expect(other).toMatchObject({ code: 2, stdout: '' });
  expect(other.stderr).toContain(`There is no run of ${path.join(repo, 'deep')} yet`);
});

test('an engine that hangs does not hold up a command that can do without', async () => {
  const hanging = offline();
  const socket = path.join(hanging.home, 'engine');
  await silentSocket(socket);
  const { home } = hanging;
  writeRun(home, NEW, { 'plan.json': listedPlan('/r'), 'outcome.json': COMPLETED });
  const ended = await hanging.run(['ls'], { env: { DOCKER_HOST: `unix://${socket}` }, timeoutMs: 8_000 });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toContain(NEW);
});

test('doctor says that no run can start without an engine, and what to do', async () => {
  const { run, home } = offline();
  const ended = await run(['doctor', '--json']);
  expect(ended).toMatchObject({ code: 5, stderr: '' });
  const report = JSON.parse(ended.stdout) as { v: number; canStart: boolean; checks: { id: string; level: string }[] };
  expect(report).toMatchObject({ v: 1, canStart: false });
  expect(report.checks.filter(({ level }) => level === 'fail')).toEqual([
    expect.objectContaining({ id: 'engine', advice: expect.stringContaining('DOCKER_HOST') }),
  ]);
  expect(existsSync(path.join(home, 'pi-sandbox'))).toBe(false);
});

test.each([
  ['image', 'show'],
  ['image', 'build'],
  ['prune', '--images'],
])('%s %s needs an engine and says so', async (...args) => {
  const ended = await offline().run(args);
  expect(ended).toMatchObject({ code: 5, stdout: '' });
  expect(ended.stderr).toContain('No container engine answers');
});
