import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTranscript } from '../../src/transcript/read-transcript.ts';
import { RunFolder } from '../../src/transcript/run-folder.ts';
import { Transcript } from '../../src/transcript/transcript.ts';
import { freshStateRoot, RUN, temporaryFolder } from './support.ts';

const now = () => new Date('2026-11-30T02:16:10Z');
const OUTCOME = { source: 'observed', type: 'outcome', outcome: 'completed', exitCode: 0, reason: 'Done.' } as const;
const pi = (type: string, more = {}) => ({ source: 'claimed', type: 'pi', event: { type, ...more } }) as const;
const note = (text: string) => ({ source: 'observed', type: 'notice', message: text }) as const;

function fresh(options: { maxBytes?: number; root?: string } = {}) {
  const folder = RunFolder.create(options.root ?? freshStateRoot(), RUN);
  const told: string[] = [];
  const open = () =>
    Transcript.open(folder, RUN, {
      maxBytes: options.maxBytes ?? 1_000_000,
      now,
      onTrouble: (text) => told.push(text),
    });
  const path = folder.path('events.jsonl');
  const read = async () => {
    const records: Record<string, unknown>[] = [];
    for await (const record of readTranscript(path)) records.push({ ...record });
    return records;
  };
  return { open, path, read, told };
}

describe('Transcript', () => {
  it('stamps records and keeps them one a line, for the owner only (D82)', async () => {
    const { open, path, read } = fresh();
    const transcript = open();
    const first = transcript.append(note('a\u2028b\nc'));
    transcript.append(OUTCOME);
    transcript.close();
    expect(first).toEqual({ v: 1, seq: 1, time: '2026-11-30T02:16:10.000Z', run: RUN, ...note('a\u2028b\nc') });
    expect(await read()).toEqual(
      [first, { ...first, ...OUTCOME, message: undefined, seq: 2 }].map((value) => JSON.parse(JSON.stringify(value))),
    );
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
  });

  it('does not let a record bring its own stamp', () => {
    const { open } = fresh();
    const stamped = open().append({ ...note('x'), v: 9, seq: 99, time: 'never', run: 'other' });
    expect(stamped).toMatchObject({ v: 1, seq: 1, run: RUN, time: '2026-11-30T02:16:10.000Z' });
  });

  it('returns live progress of pi but does not keep it', async () => {
    const { open, read } = fresh();
    const transcript = open();
    for (const type of ['message_update', 'tool_execution_update', 'bash_execution_update', 'tool_execution_end']) {
      expect(transcript.append(pi(type))).toMatchObject({ event: { type } });
    }
    expect((await read()).map(({ seq, event }) => [seq, event])).toEqual([[4, { type: 'tool_execution_end' }]]);
    expect(transcript.dropped).toBe(0);
  });

  it('never follows a link', () => {
    const { open, path } = fresh();
    const target = join(temporaryFolder(), 'target');
    writeFileSync(target, 'precious\n');
    symlinkSync(target, path);
    expect(open).toThrow(expect.objectContaining({ code: 'state', message: expect.stringContaining(path) }));
    expect(readFileSync(target, 'utf8')).toBe('precious\n');
  });

  it('does not wait on a pipe', () => {
    const { open, path } = fresh();
    execFileSync('mkfifo', [path]);
    expect(open).toThrow(expect.objectContaining({ code: 'state' }));
  });
});

describe('a transcript at its limit', () => {
  it('says so once in the file, keeps the outcome, and stays below the limit', async () => {
    const { open, path, read, told } = fresh({ maxBytes: 40_000 });
    const transcript = open();
    for (let at = 0; at < 100; at++) transcript.append(note('x'.repeat(1_000)));
    transcript.append(OUTCOME);
    const records = await read();
    const kept = records.filter(({ type }) => type === 'notice').length;
    expect(records.map(({ type }) => type).slice(-2)).toEqual(['transcript_full', 'outcome']);
    expect(records.at(-2)).toMatchObject({ source: 'observed', maxBytes: 40_000, seq: kept + 1 });
    expect(records.at(-1)).toMatchObject({ seq: 101 });
    expect(kept).toBeGreaterThan(15);
    expect(transcript.dropped).toBe(100 - kept);
    expect(statSync(path).size).toBeLessThanOrEqual(40_000);
    expect(told).toHaveLength(1);
  });

  it('drops one record that is larger than the whole limit', async () => {
    const { open, read } = fresh({ maxBytes: 40_000 });
    const transcript = open();
    transcript.append(note('x'.repeat(100_000)));
    transcript.append(OUTCOME);
    expect((await read()).map(({ type }) => type)).toEqual(['transcript_full', 'outcome']);
  });
});

describe('a torn transcript', () => {
  it('is closed off before the next record, and numbers go on (D81)', async () => {
    const { open, path, read } = fresh();
    const first = open();
    first.append(note('one'));
    first.append(note('two'));
    first.close();
    appendFileSync(path, '{"v":1,"seq":3,"time":"2026');
    open().append(note('three'));
    expect((await read()).map((record) => ('torn' in record ? record : record['message']))).toEqual([
      'one',
      'two',
      { torn: true, bytes: 27 },
      'three',
    ]);
    expect((await read()).at(-1)).toMatchObject({ seq: 3 });
  });

  it('finds the last number behind a record larger than one look', () => {
    const { open } = fresh();
    const first = open();
    first.append(note('x'.repeat(200_000)));
    first.close();
    expect(open().append(note('next')).seq).toBe(2);
  });

  it('is reported where it is torn, also at its end', async () => {
    const { open, path, read } = fresh();
    open().append(note('one'));
    appendFileSync(path, 'half');
    expect((await read()).at(-1)).toEqual({ torn: true, bytes: 4 });
  });

  it('says that there is no transcript', async () => {
    const { path, read } = fresh();
    await expect(read()).rejects.toMatchObject({
      code: 'state',
      message: `Cannot read the transcript ${path}: there is none.`,
    });
  });
});

/** A file system of 1 MB with room for a state root. */
function smallDisk(): string {
  const disk = temporaryFolder();
  execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tmpfs', disk]);
  onTestFinished(() => void execFileSync('/bin/umount', [disk]));
  return disk;
}

/** Root alone is not enough: in a container mounting is usually refused. */
function canMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'ps-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', 'tmpfs', probe], { stdio: 'ignore' });
    execFileSync('/bin/umount', [probe]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true });
  }
}

describe.skipIf(!canMount())('on a full disk (needs the right to mount a small one)', () => {
  it('tells the user once, never fails, and goes on when there is room again (D81)', async () => {
    const disk = smallDisk();
    const { open, read, told } = fresh({ root: join(disk, 'pi-sandbox'), maxBytes: 64_000_000 });
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(300_000));
    const transcript = open();
    for (let at = 0; at < 300; at++) transcript.append(note(`${at} ${'x'.repeat(5_000)}`));
    expect(told).toEqual([expect.stringContaining('ENOSPC')]);
    expect(transcript.dropped).toBeGreaterThan(100);
    rmSync(join(disk, 'ballast'));
    transcript.append(note('there is room again'));
    transcript.append(OUTCOME);
    transcript.close();

    const records = await read();
    const torn = records.filter((record) => 'torn' in record);
    const whole = records.filter((record) => !('torn' in record));
    expect(torn).toHaveLength(1);
    expect(whole).toHaveLength(302 - transcript.dropped);
    expect(whole.slice(-2)).toMatchObject([
      { message: 'there is room again', seq: 301 },
      { type: 'outcome', seq: 302 },
    ]);
    expect(told).toHaveLength(1);
  });

  it('says before the start that the state folder has no room', () => {
    const disk = smallDisk();
    const folder = RunFolder.create(join(disk, 'pi-sandbox'), RUN);
    mkdirSync(join(disk, 'more'));
    expect(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(2_000_000))).toThrow();
    expect(() => folder.writeJson('plan.json', { a: 'x'.repeat(5_000) })).toThrow(
      expect.objectContaining({
        code: 'state',
        message: expect.stringContaining('ENOSPC'),
        hint: expect.stringContaining('free space'),
      }),
    );
  });
});

it('keeps every whole record when the writer is killed in the middle of one (D81)', async () => {
  const { open, path, read } = fresh();
  for (let at = 0; at < 5; at++) open().append(note(`record ${at}`));
  const bytes = readFileSync(path);
  const cut = bytes.lastIndexOf('\n', bytes.length - 2) + 1 + 20;
  writeFileSync(path, bytes.subarray(0, cut));
  open().append(OUTCOME);
  const types = (await read()).map((record) => ('torn' in record ? 'torn' : record['type']));
  expect(types).toEqual(['notice', 'notice', 'notice', 'notice', 'torn', 'outcome']);
});
