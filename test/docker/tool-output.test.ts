import { beforeAll, describe, expect, test } from 'vitest';
import { endOf, ofType, textOf } from '../support/pi-records.ts';
import { bash, call, type EndedRun, Session } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', {
  'lines.txt': Array.from({ length: 3_000 }, (_, line) => `line ${line + 1}\n`).join(''),
  'wide.txt': Array.from({ length: 1_000 }, (_, line) => `${line + 1} ${'x'.repeat(200)}\n`).join(''),
  'one-line.txt': 'x'.repeat(5_000_000),
  'matches.txt': Array.from({ length: 120 }, (_, line) => `match ${line + 1}\n`).join(''),
  'long-match.txt': `needle ${'y'.repeat(2_000)}\n`,
  ...Object.fromEntries(Array.from({ length: 1_100 }, (_, file) => [`many/${file}.q`, ''])),
});
const KIB_50 = 51_200;

/** What pi says about its own cut of a result. */
interface Truncation {
  readonly truncatedBy: string;
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly totalLines: number;
  readonly firstLineExceedsLimit: boolean;
}

describe('one ruler for what the model sees of an output (M6)', () => {
  let run: EndedRun;
  let logs: string;
  beforeAll(async () => {
    run = await session.run(repo, [
      {
        tools: [
          call('read', { path: 'lines.txt' }),
          call('read', { path: 'wide.txt' }),
          call('read', { path: 'one-line.txt' }),
          call('bash', { command: 'seq 1 3000' }),
          call('bash', { command: 'cat wide.txt' }),
          call('grep', { pattern: 'match', path: 'matches.txt' }),
          call('grep', { pattern: 'needle', path: 'long-match.txt' }),
          call('find', { pattern: '*.q' }),
          call('ls', { path: 'many' }),
        ],
      },
      bash('echo short'),
      { text: 'done' },
    ]);
    logs = (await session.cli(['logs', ofType(run.records, 'outcome').run])).stdout.toString();
  });
  const detailsOf = (id: string) => endOf(run.records, id).result.details ?? {};
  const truncationOf = (id: string) => detailsOf(id)['truncation'] as Truncation;
  const linesOf = (id: string) => textOf(run.records, id).split('\n');

  test('read keeps the first 2000 lines', () => {
    expect(truncationOf('call_1_1')).toMatchObject({ truncatedBy: 'lines', outputLines: 2_000, totalLines: 3_000 });
    expect(linesOf('call_1_1').slice(0, 2_001)).toEqual([
      ...Array.from({ length: 2_000 }, (_, line) => `line ${line + 1}`),
      '',
    ]);
    expect(logs).toMatch(/the model saw the first 2000 lines \(.*\) of 3000 lines/);
  });

  test('read keeps the first 50 KiB', () => {
    expect(truncationOf('call_1_2')).toMatchObject({ truncatedBy: 'bytes' });
    expect(truncationOf('call_1_2').outputBytes).toBeLessThanOrEqual(KIB_50);
    expect(textOf(run.records, 'call_1_2').startsWith('1 x')).toBe(true);
  });

  test('read gives a hint only for a first line over 50 KiB (D05)', () => {
    expect(truncationOf('call_1_3')).toMatchObject({ firstLineExceedsLimit: true, outputBytes: 0 });
    expect(textOf(run.records, 'call_1_3')).toMatch(/^\[Line 1 is 4\.8MB, exceeds 50\.0KB limit/);
    expect(logs).toContain('the model saw only a hint: the first line is too long');
  });

  test('bash keeps the last 2000 lines, and says where the whole is', () => {
    expect(truncationOf('call_1_4')).toMatchObject({ truncatedBy: 'lines', outputLines: 2_000, totalLines: 3_000 });
    expect(linesOf('call_1_4').slice(0, 2_000)).toEqual(
      Array.from({ length: 2_000 }, (_, line) => String(line + 1_001)),
    );
    expect(textOf(run.records, 'call_1_4')).toMatch(/Full output: \/spill\/pi-bash-[0-9a-f]+\.log\]$/);
    expect(logs).toMatch(
      /the model saw the last 2000 lines .* of 3000 lines.*; all of it: pi-sandbox output \S+ call_1_4/,
    );
  });

  test('bash keeps the last 50 KiB', () => {
    expect(truncationOf('call_1_5')).toMatchObject({ truncatedBy: 'bytes' });
    expect(truncationOf('call_1_5').outputBytes).toBeLessThanOrEqual(KIB_50);
    expect(textOf(run.records, 'call_1_5')).toContain(`1000 ${'x'.repeat(200)}`);
  });

  test('grep keeps 100 matches', () => {
    expect(detailsOf('call_1_6')).toMatchObject({ matchLimitReached: 100 });
    expect(linesOf('call_1_6').filter((line) => line.includes(': match '))).toHaveLength(100);
    expect(logs).toContain('stopped at 100 matches');
  });

  test('grep keeps 500 characters of a line', () => {
    expect(detailsOf('call_1_7')).toMatchObject({ linesTruncated: true });
    expect(textOf(run.records, 'call_1_7').match(/needle y+/)?.[0]).toHaveLength(500);
    expect(logs).toContain('long lines were cut for the model');
  });

  test('find keeps 1000 paths', () => {
    expect(detailsOf('call_1_8')).toMatchObject({ resultLimitReached: 1_000 });
    expect(linesOf('call_1_8').filter((line) => line.endsWith('.q'))).toHaveLength(1_000);
    expect(logs).toContain('stopped at 1000 paths');
  });

  test('ls keeps 500 entries', () => {
    expect(detailsOf('call_1_9')).toMatchObject({ entryLimitReached: 500 });
    expect(linesOf('call_1_9').filter((line) => line.endsWith('.q'))).toHaveLength(500);
    expect(logs).toContain('stopped at 500 entries');
  });

  test('an output within the limits is whole, and nothing is said about a cut', () => {
    expect(textOf(run.records, 'call_2_1')).toBe('short\n');
    expect(logs.slice(logs.indexOf('echo short'))).not.toContain('the model saw');
  });

  test('a viewer that hides lines names the command that shows them, and that shows what the model saw', async () => {
    const command = /pi-sandbox (output \S+ call_1_1)$/m.exec(logs)?.[1] ?? 'nothing';
    const { code, stdout } = await session.cli(command.split(' '));
    expect(code).toBe(0);
    expect(stdout.toString().trimEnd()).toBe(textOf(run.records, 'call_1_1'));
  });
});
