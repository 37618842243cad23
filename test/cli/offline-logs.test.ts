import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { outputFile } from '../../src/run/keep-outputs.ts';
import { offline, silentSocket } from '../support/offline.ts';
import { COMPLETED, listedPlan, stamped, startedOn, toolCall, writeRun } from '../support/runs.ts';

const RUN = '20261130T021610-3f9a2c';
const START = startedOn('/var/run/docker.sock');
const END = { source: 'observed', type: 'outcome', ...COMPLETED };
const CUT = {
  truncation: { truncated: true, totalLines: 60_000, totalBytes: 348_894, outputLines: 1, outputBytes: 6 },
  fullOutputPath: '/spill/pi-bash-0123456789abcdef.log',
};

function recorded(records: readonly Readonly<Record<string, unknown>>[], more: Readonly<Record<string, unknown>> = {}) {
  const cli = offline();
  const files = { 'plan.json': listedPlan('/r'), 'events.jsonl': stamped(RUN, records), ...more };
  const folder = writeRun(cli.home, RUN, files);
  return { ...cli, folder, events: path.join(folder, 'events.jsonl') };
}

test('logs is the transcript, ended by its outcome', async () => {
  const { run } = recorded([START, ...toolCall('call_1', 'hello'), END], { 'outcome.json': COMPLETED });
  const ended = await run(['logs', RUN]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/\[1\] bash: true\n[\s\S]*hello\n[\s\S]*completed: The model ended[^\n]*\n$/);
});

test('logs --json is the records as they were written', async () => {
  const { run, events } = recorded([START, ...toolCall('call_1', 'hello'), END], { 'outcome.json': COMPLETED });
  expect((await run(['logs', RUN, '--json'])).stdout).toBe(readFileSync(events, 'utf8'));
});

test('damaged lines are said, in their place for people and beside the records for programs', async () => {
  const { run, events } = recorded([START]);
  appendFileSync(events, `not a record\n${JSON.stringify(stamped(RUN, [START, END])[1])}\n{"v":1,"se`);
  const text = await run(['logs', RUN]);
  expect(text.stdout).toMatch(/12 B of the transcript are damaged[\s\S]*completed: /);
  const json = await run(['logs', RUN, '--json']);
  for (const line of json.stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ v: 1, run: RUN });
  expect(json.stderr).toContain('12 B of the transcript are damaged');
  expect(json.stderr).toContain('10 B of the transcript are damaged');
});

test('a transcript without an outcome does not look complete', async () => {
  const { run } = recorded([START, ...toolCall('call_1', 'hello')]);
  const ended = await run(['logs', RUN]);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('no outcome: its controller is gone');
  expect((await run(['logs', RUN, '-f'])).stderr).toContain('no outcome: its controller is gone');
});

test('logs -f shows what is added and ends with the outcome', async () => {
  const notice = { source: 'observed', type: 'notice', message: 'it has begun' };
  const { start, folder, events } = recorded([notice]);
  await silentSocket(path.join(folder, 'control'));
  const live = start(['logs', '-f', RUN]);
  await live.until('it has begun');
  const [, one, two, end] = stamped(RUN, [START, ...toolCall('call_1', 'later'), END]).map(
    (r) => `${JSON.stringify(r)}\n`,
  );
  appendFileSync(events, `${one}${two!.slice(0, 20)}`);
  await live.until('[1] bash');
  expect(live.stdout).not.toContain('later');
  appendFileSync(events, `${two!.slice(20)}${end}`);
  expect(await live.ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('later') });
});

test('Ctrl-C leaves logs -f without a word', async () => {
  const { start, folder } = recorded([START, ...toolCall('call_1', 'hello')]);
  await silentSocket(path.join(folder, 'control'));
  const live = start(['logs', '-f', RUN]);
  await live.until('hello');
  live.child.kill('SIGINT');
  expect(await live.ended).toMatchObject({ code: 130, stderr: '' });
});

test('a reader that goes away ends logs without a word', async () => {
  const many = Array.from({ length: 3_000 }, (_, at) => toolCall(`call_${at}`, 'x'.repeat(2_000))).flat();
  const { start } = recorded([START, ...many, END]);
  const live = start(['logs', RUN, '--json']);
  await live.until('call_1');
  live.child.stdout?.destroy();
  expect(await live.ended).toMatchObject({ code: 0, stderr: '' });
});

test('a run without a transcript is an error and not an empty one', async () => {
  const cli = offline();
  writeRun(cli.home, RUN, { 'plan.json': listedPlan('/r') });
  const ended = await cli.run(['logs', RUN]);
  expect(ended).toMatchObject({ code: 5, stdout: '' });
  expect(ended.stderr).toContain('Cannot read the transcript');
});

test('output gives the kept bytes as they are', async () => {
  const bytes = Buffer.from([0, 27, 91, 255, 10, 13]);
  const kept = { [`outputs/${outputFile('call_1')}`]: bytes };
  const { run } = recorded([START, ...toolCall('call_1', 'short', { fullOutputPath: CUT.fullOutputPath }), END], kept);
  const ended = await run(['output', RUN, '1']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdoutBytes.equals(bytes)).toBe(true);
});

test('output says when the kept bytes are not all', async () => {
  const kept = { [`outputs/${outputFile('call_1')}`]: 'part' };
  const { run } = recorded([START, ...toolCall('call_1', 'short', CUT), END], kept);
  expect(await run(['output', RUN, '1'])).toMatchObject({
    code: 0,
    stdout: 'part',
    stderr: 'Only the first 4 B of 341 KiB were kept.\n',
  });
});

test('output falls back to what the model saw and says that the rest is gone', async () => {
  const { run } = recorded([START, ...toolCall('call_1', '60000', CUT), ...toolCall('call_2', 'all of it'), END]);
  const cut = await run(['output', RUN, 'call_1']);
  expect(cut).toMatchObject({ code: 0, stdout: '60000\n' });
  expect(cut.stderr).toContain('6 B of 341 KiB (1 of 60000 lines): the rest ended with the container');
  expect(await run(['output', RUN, 'call_2'])).toMatchObject({ code: 0, stdout: 'all of it\n', stderr: '' });
});

test('output of an unknown or unfinished call is refused', async () => {
  const { run } = recorded([START, toolCall('call_1', '')[0]!]);
  expect(await run(['output', RUN, '7'])).toMatchObject({ code: 2, stdout: '' });
  const unfinished = await run(['output', RUN, '1']);
  expect(unfinished).toMatchObject({ code: 2, stdout: '' });
  expect(unfinished.stderr).toContain('has no recorded result');
});
