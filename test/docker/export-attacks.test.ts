import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MAX_DEPTH } from '../../src/changes/limits.ts';
import { exportTree } from '../../src/container/export-tree.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { testEngine } from '../support/engine.ts';
import { handedBack } from '../support/handed-back.ts';
import { isUpdate, ofType, textOf } from '../support/pi-records.ts';
import { agentOf } from '../support/run-container.ts';
import { bash, type EndedRun, Session } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', { 'a.txt': 'a\n' });
/** Larger than all that lies between tar and its reader. */
const BIG = 30_000_000;
const WORK = `echo work >> a.txt; head -c ${BIG} /dev/zero | tr '\\0' z > big`;
const CHANGES = ['modify a.txt', 'add big'];
const MARK = 'written by the agent';

/** Goes on by itself, and for as long as it lives does something to every tar of its user. */
const atEveryTar = (action: string): string => `cat > /tmp/attack.py <<'END'
import os
while True:
    for name in os.listdir('/proc'):
        try:
            if name.isdigit() and open(f'/proc/{name}/comm').read() == 'tar\\n':
                ${action}
        except OSError: pass
END
setsid python3 /tmp/attack.py </dev/null >/dev/null 2>&1 & echo under way; sleep 60`;

/** Starts an export while the agent is at work, as nothing of ours does, and reads for a while. */
async function exportAmidst(attack: string): Promise<{ content: Buffer; whole: boolean; run: EndedRun }> {
  const engine = await testEngine();
  const live = session.start(repo, [bash(WORK), bash(attack), { text: 'never' }]);
  await live.until((record) => isUpdate(record, 'under way'));
  await delay(500);
  const target = { engine, ...(await agentOf(engine, live)) };
  const { archive, close } = await exportTree({ ...target, path: GUEST.workspace, maxParts: MAX_DEPTH + 1 });
  const chunks: Buffer[] = [];
  const read = (async () => {
    await delay(500);
    for await (const chunk of archive) chunks.push(chunk);
    return true;
  })().catch(() => false);
  const whole = await Promise.race([read, delay(5_000).then(() => false)]);
  close();
  live.child.kill('SIGTERM');
  return { content: Buffer.concat(chunks), whole, run: await live.ended };
}

describe('what an agent does to the export while it lives, the hand-back never meets:', () => {
  test('nothing (the control)', async () => {
    const { content, whole } = await exportAmidst('echo under way; sleep 60');
    expect(whole).toBe(true);
    expect(content.includes(MARK)).toBe(false);
    expect(content.length).toBeGreaterThan(BIG);
  });

  test('to stop it (EX14)', async () => {
    const { content, whole, run } = await exportAmidst(atEveryTar('os.kill(int(name), 19)'));
    expect(whole).toBe(false);
    expect(content.length).toBeLessThan(BIG);
    expectGood(run);
  });

  test('to write among its bytes (EX14)', async () => {
    const { content, run } = await exportAmidst(
      atEveryTar(`open(f'/proc/{name}/fd/1', 'wb', 0).write(b'${MARK}' * 100)`),
    );
    expect(content.includes(MARK)).toBe(true);
    expectGood(run);
  });
});

function expectGood(run: EndedRun): void {
  expect(run.code).toBe(143);
  const back = handedBack(session, run);
  expect(back.set).toMatchObject({ outcome: 'complete', reasons: [], refusedCount: 0 });
  expect(back.list).toEqual(CHANGES);
  expect(back.after('big').equals(Buffer.alloc(BIG, 'z'))).toBe(true);
}

/** Prepares itself, waits for the end of pi, and then does something for as long as it lives. */
const afterPi = (action: string, first = ''): string => `cat > /tmp/attack.py <<'END'
import os, signal, sys, time
${first}
while os.path.exists('/proc/' + sys.argv[1]): time.sleep(0.001)
while True: ${action}
END
${WORK}; setsid python3 /tmp/attack.py $PPID </dev/null >/dev/null 2>&1 & sleep 1`;

/** Reaches all of its own user but itself. */
const STOP_ALL = 'os.kill(-1, signal.SIGSTOP)';
/** Takes all the processes that the container may have; pi needs no more of them to end. */
const FILL = `
def fill():
    try:
        while True:
            if os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)
    except OSError: pass
fill()`;
/** In which the processes of the agent are ended or not, and what a run takes beside. */
const ENDING_MS = 20_000;
const RUN_MS = 20_000;

describe('an agent that leaves a loop behind', () => {
  test('that only waits hands its changes back (the control)', async () => {
    const run = await session.run(repo, [bash(afterPi('time.sleep(1)')), { text: 'done' }]);
    expect(run.code, run.stderr.toString()).toBe(0);
    expect(handedBack(session, run).list).toEqual(CHANGES);
  });

  // Whose command comes first is chance: killed before it stops ours, it takes nothing from anybody.
  test.concurrent('that stops every process it may hands back all or fails the run in bounded time (EX14)', async () => {
    const { run, ms } = await timed(afterPi(STOP_ALL));
    expect(ms).toBeLessThan(ENDING_MS + RUN_MS);
    if (run.code !== 0) return expectLost(run);
    expect(ofType(run.records, 'changes')).toMatchObject({ outcome: 'complete', reasons: [] });
    expect(handedBack(session, run).list).toEqual(CHANGES);
  });

  test.concurrent('that leaves no room for another process fails the run in bounded time (EX14)', async () => {
    const { run, ms } = await timed(afterPi(`fill(); ${STOP_ALL}`, FILL));
    expect(ms).toBeLessThan(ENDING_MS + RUN_MS);
    await expectLost(run);
  });
});

/** At this depth tar spent minutes on the names alone, and hours at six times of it. */
const DEEP = 5_000;

test('folders thousands below each other do not hold up the end of a run, and hide nothing beside them (EX8)', async () => {
  const dig = `perl -e 'for (1..${DEEP}) { mkdir "d"; chdir "d" or die } open F, ">f"; print F "x"'`;
  const { run, ms } = await timed(`echo work >> a.txt; touch .gitignore; mkdir -p beside/.git; ${dig}; echo $?`);
  expect(textOf(run.records, 'call_1_1')).toBe('0\n');
  expect(ms).toBeLessThan(RUN_MS);
  const { set, list } = handedBack(session, run);
  expect(list.filter((change) => !change.startsWith('add d/'))).toEqual([
    'add .gitignore',
    'modify a.txt',
    'add beside',
    'add d',
  ]);
  expect(list.at(-1)).toBe(`add d${'/d'.repeat(MAX_DEPTH - 1)}`);
  expect(set).toMatchObject({ outcome: 'complete', refusedCount: 2 });
  expect(set.refused.map(({ path, reason }) => [path, reason])).toEqual([
    ['beside/.git', 'git-metadata'],
    [`d${'/d'.repeat(MAX_DEPTH)}`, 'bad-path'],
  ]);
});

async function timed(command: string): Promise<{ run: EndedRun; ms: number }> {
  const started = performance.now();
  const run = await session.run(repo, [bash(command), { text: 'done' }]);
  return { run, ms: performance.now() - started };
}

/** There is no change set, and wherever one would be looked for it is said what became of it. */
async function expectLost({ code, records }: EndedRun): Promise<void> {
  const why = /^The processes of the agent could not be ended within 20 s: .*[^.]\.$/;
  const lost = 'What the agent changed is lost.';
  const reasons = [expect.stringMatching(why), lost];
  expect(ofType(records, 'changes')).toMatchObject({ outcome: 'failed', changed: 0, reasons });
  expect(code).toBe(5);
  expect(ofType(records, 'outcome')).toMatchObject({
    outcome: 'sandbox_failed',
    reason: expect.stringMatching(/^The changes could not be taken out: The processes .* is lost\.$/),
  });
  expect(ofType(records, 'removed')).toMatchObject({ complete: true });
  const id = records[0]?.run ?? '';
  expect(existsSync(path.join(session.runs, id, 'changes'))).toBe(false);
  for (const command of ['diff', 'apply']) {
    const said = await session.cli([command, id]);
    expect(said).toMatchObject({ code: 5 });
    expect(said.stderr.toString()).toContain(lost);
  }
  expect((await session.cli(['show', id])).stdout.toString()).toContain(lost);
  const logs = (await session.cli(['logs', id])).stdout.toString();
  expect(logs).toContain(lost);
  expect(logs).not.toContain('No files changed');
}
