import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SandboxRecord } from '../../src/protocol/record.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { ofType } from '../support/pi-records.ts';
import { bash, type EndedRun, Session, type Turn } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', { 'README.md': 'hello\n' });
beforeAll(imageReady, IMAGE_MS);

const CTRL_C = '\u0003';

/** A policy that asks before each touch and each mkfifo. */
function policyThatAsks(name: string, timeout: string): string {
  const file = path.join(session.folder, name);
  const text = `version: 1
ask: {timeout: ${timeout}}
commands:
  rules:
    - {id: team-touch, verdict: ask, reason: Files are made by hand here., programs: [touch]}
    - {id: team-pipe, verdict: ask, reason: Pipes hang., programs: [mkfifo]}
`;
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** `call_2_1 deny answer`, for each decision that somebody was asked about. */
const answers = (records: readonly SandboxRecord[]): string[] =>
  records
    .filter(({ type, by }) => type === 'gate' && by !== 'policy')
    .map((record) => `${record['call']} ${record['verdict']} ${record['by']}`);
const asked = (ask: number) => (record: SandboxRecord) => record.type === 'gate.ask' && record['ask'] === ask;

describe('a program that answers on standard input (M9)', () => {
  let run: EndedRun;
  let warnings: string;
  beforeAll(async () => {
    const turns: Turn[] = [
      bash('touch one'),
      { expectNot: 'denied', ...bash('touch two') },
      { expect: 'Make no files.', ...bash('touch three', 'touch three') },
      bash('mkfifo four'),
      { expect: 'No answer could be had.', ...bash('ls') },
      { expect: ['one', 'three'], expectNot: ['two\n', 'four\n'], text: 'done' },
    ];
    const live = session.start(repo, turns, {
      args: ['--policy', policyThatAsks('stdin.yaml', '60s'), '--ask', 'stdin'],
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const answer = (line: unknown) => live.child.stdin?.write(`${JSON.stringify(line)}\n`);
    answer({ v: 1, ask: 1, decision: 'deny', note: 'This came before its question.' });
    await live.until(asked(1));
    answer({ v: 1, ask: 1, decision: 'once' });
    await live.until(asked(2));
    live.child.stdin?.write('yes please\n');
    answer({ v: 1, ask: 7, decision: 'once' });
    answer({ v: 1, ask: 2, decision: 'deny', note: 'Make no files.' });
    await live.until(asked(3));
    answer({ v: 1, ask: 3, decision: 'run' });
    await live.until(asked(4));
    live.child.stdin?.end();
    run = await live.ended;
    warnings = run.stderr.toString();
  });

  test('allows, denies with a word that reaches the model, and allows for the run', () => {
    // The script holds each text against what the model is sent next.
    expect(ofType(run.records, 'outcome')).toMatchObject({ outcome: 'completed', exitCode: 0 });
    expect(answers(run.records)).toEqual([
      'call_1_1 allow answer',
      'call_2_1 deny answer',
      'call_3_1 allow answer',
      'call_3_2 allow answer',
      'call_4_1 deny no answer',
    ]);
  });

  test('sees what is asked for in the record of the question', () => {
    expect(run.records.find(asked(1))).toMatchObject({
      source: 'observed',
      tool: 'bash',
      arguments: { command: 'touch one' },
      rule: 'team-touch',
      reason: 'Files are made by hand here.',
      claimed: false,
      timeoutMs: 60_000,
    });
  });

  test('is told of lines that are no answers, and of the end of its input', () => {
    for (const part of ['no question 1 is open', 'it is no JSON', 'no question 7 is open', 'standard input has ended'])
      expect(warnings).toContain(part);
  });
});

test('a question that nobody answers is denied when its time is over, and the run goes on', async () => {
  const live = session.start(repo, [bash('touch one'), { expect: 'Nobody answered within 1 s', text: 'done' }], {
    args: ['--policy', policyThatAsks('short.yaml', '1s'), '--ask', 'stdin'],
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const run = await live.ended;
  expect(ofType(run.records, 'outcome')).toMatchObject({ outcome: 'completed', exitCode: 0 });
  expect(answers(run.records)).toEqual(['call_1_1 deny no answer']);
});

test('where nobody can be asked, what would be asked is denied (M9)', async () => {
  const run = await session.run(repo, [bash('touch one'), { expect: 'nobody can be asked', text: 'done' }], {
    args: ['--policy', policyThatAsks('never.yaml', '60s')],
  });
  expect(ofType(run.records, 'outcome')).toMatchObject({ outcome: 'completed', exitCode: 0 });
  expect(run.records.some(({ type }) => type === 'gate.ask')).toBe(false);
});

describe('a person at the terminal (M9)', () => {
  let screen: string;
  let code: number | null;
  let records: SandboxRecord[];
  let id: string;
  beforeAll(async () => {
    const turns: Turn[] = [
      bash('touch one # \u001b[2J'),
      { expect: 'Denied by the user: not so', ...bash('touch two') },
      bash('touch three', 'touch three'),
      bash('mkfifo four'),
    ];
    const before = new Set(readdirSync(session.runs));
    const policy = policyThatAsks('person.yaml', '60s');
    const tty = session.pty(['run', '--repo', repo, '--model', session.script(turns), '--policy', policy, 'go']);
    const prompt = (number: number) => tty.until(new RegExp(`Question ${number}:[^]*Allow it\\?`));
    // As a person does who takes the run for something else that will ask.
    await tty.until(/copied in/);
    tty.type('y\ry\ry\r');
    await prompt(1);
    tty.type('n\r');
    await tty.until(/A word to the model\?/);
    tty.type('not so\r');
    await prompt(2);
    tty.type('y\r');
    await prompt(3);
    tty.type('r\r');
    await prompt(4);
    tty.type(CTRL_C);
    await tty.until(/What should it do instead\?/);
    tty.type('\r');
    code = await tty.ended;
    screen = tty.shown;
    id = readdirSync(session.runs).find((name) => !before.has(name)) ?? '';
    records = readFileSync(path.join(session.runs, id, 'events.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SandboxRecord);
  });

  test('allows once, for the run, or denies with a word to the model; what was typed before a question is no answer', () => {
    expect(answers(records)).toEqual([
      'call_1_1 deny answer',
      'call_2_1 allow answer',
      'call_3_1 allow answer',
      'call_3_2 allow answer',
      'call_4_1 deny answer',
    ]);
    expect(screen).toContain('What was typed before this question could be read is no answer.');
    expect(screen.split('Question 1:')).toHaveLength(2);
  });

  test('ends the turn with Ctrl-C, as elsewhere', () => {
    expect(screen).toContain('ending the turn; Ctrl-C once more ends the run.');
    expect(code).toBe(130);
  });

  test('sees the call made harmless', () => {
    expect(screen).toContain('| touch one # ␛[2J');
    expect(screen).not.toContain('# \u001b[2J');
  });

  test('finds it again in show and in policy explain', async () => {
    const show = (await session.cli(['show', id])).stdout.toString();
    expect(show).toContain('denied 1: policy rule team-touch, your answer');
    expect(show).toContain('The guard is advice once bash is allowed; the container is the boundary.');
    const explained = (await session.cli(['policy', 'explain', id, 'call_1_1'])).stdout.toString();
    expect(explained).toContain('denied (denied by you, rule team-touch)');
    expect(explained).toMatch(/team-touch \(ask\), from .*person\.yaml:\d+: touch one/);
    const logs = (await session.cli(['logs', id])).stdout.toString();
    expect(logs).toContain('= [1] refused (denied by you, rule team-touch): Denied by the user: not so');
  });
});
