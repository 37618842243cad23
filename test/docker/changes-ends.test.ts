import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MiB } from '../../src/lib/bytes.ts';
import { testEngine } from '../support/engine.ts';
import { handedBack } from '../support/handed-back.ts';
import { isStart, ofType, textOf } from '../support/pi-records.ts';
import { agentOf } from '../support/run-container.ts';
import { bash, type EndedRun, Session } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', { 'a.txt': 'a\n' });
const WORK = 'echo work >> a.txt; mkdir done; echo x > done/file';
const DONE = ['modify a.txt', 'add done', 'add done/file'];

const changesOf = ({ records }: EndedRun) => records.find(({ type }) => type === 'changes');
const hasFolder = ({ records }: EndedRun): boolean =>
  existsSync(path.join(session.runs, records[0]?.run ?? 'none', 'changes'));

test('what was done before Ctrl-C, a limit or a failure of the model is kept', async () => {
  const live = session.start(repo, [bash(WORK), bash('sleep 60'), { text: 'never' }]);
  await live.until((record) => isStart(record, 'call_2_1'));
  live.child.kill('SIGTERM');
  const interrupted = await live.ended;
  expect(interrupted.code).toBe(143);
  expect(handedBack(session, interrupted).list).toEqual(DONE);

  const late = await session.run(repo, [bash(WORK), bash('sleep 60')], { args: ['--timeout', '4s'] });
  expect(late.code).toBe(4);
  expect(handedBack(session, late).list).toEqual(DONE);

  const failed = await session.run(repo, [bash(WORK), { expect: 'something else', text: 'never' }]);
  expect(failed.code).toBe(1);
  expect(handedBack(session, failed).list).toEqual(DONE);
});

test('a run that changed nothing says so, and one that is not about changes says nothing', async () => {
  const none = await session.run(repo, [bash('cat a.txt; touch a.txt; mkdir x; rmdir x'), { text: 'done' }]);
  expect(none.code).toBe(0);
  expect(changesOf(none)).toMatchObject({ outcome: 'complete', changed: 0, refusedCount: 0 });
  const said = await session.cli(['logs', none.records[0]?.run ?? '']);
  expect(said.stdout.toString()).toMatch(/No files changed\.\n$/);
  for (const args of [
    ['--profile', 'review'],
    ['--workspace', 'mount'],
  ]) {
    const looked = await session.run(repo, [bash('echo x >> /tmp/x'), { text: 'done' }], { args });
    expect(looked.code).toBe(0);
    expect([changesOf(looked), hasFolder(looked)]).toEqual([undefined, false]);
  }
});

test('a workspace on a disk volume is taken out too', async () => {
  const engine = await testEngine();
  const half = Math.ceil(engine.facts.memory / 2) + MiB;
  const run = await session.run(repo, [bash(WORK, 'pwd'), { text: 'done' }], { args: ['--disk', String(half)] });
  expect(textOf(run.records, 'call_1_2')).toBe('/volume/workspace\n');
  expect(handedBack(session, run).list).toEqual(DONE);
});

test('a workspace that is gone or leads elsewhere is never taken for one without changes', async () => {
  const engine = await testEngine();
  const half = Math.ceil(engine.facts.memory / 2) + MiB;
  const script = 'cd /volume; mv workspace away; ln -s /etc workspace';
  const run = await session.run(repo, [bash(script), { text: 'done' }], { args: ['--disk', String(half)] });
  expect(run.code).toBe(5);
  expect(changesOf(run)).toMatchObject({ outcome: 'failed', changed: 0 });
  expect(ofType(run.records, 'outcome')['reason']).toMatch(/^The changes could not be taken out: /);
  expect(hasFolder(run)).toBe(false);
});

test('a container that is ended from outside leaves no change set, and the run says so', async () => {
  const live = session.start(repo, [bash(WORK), bash('sleep 60'), { text: 'never' }]);
  await live.until((record) => isStart(record, 'call_2_1'));
  const engine = await testEngine();
  await engine.kill((await agentOf(engine, live)).container);
  const run = await live.ended;
  expect(run.code).toBe(5);
  expect(changesOf(run)).toMatchObject({ outcome: 'failed' });
  expect(hasFolder(run)).toBe(false);
});

test('a folder without git works the same', async () => {
  const root = path.join(session.folder, 'plain');
  mkdirSync(root);
  writeFileSync(path.join(root, 'a.txt'), 'a\n');
  const run = await session.run(root, [bash(WORK), { text: 'done' }]);
  expect(handedBack(session, run).list).toEqual(DONE);
  rmSync(root, { recursive: true });
});
