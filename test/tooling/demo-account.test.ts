import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ATTEMPTS } from '../../scripts/demo-attempts.ts';
import { armTraps, type Traps } from '../../scripts/demo-traps.ts';
import { parseScenario } from '../../src/gateway/scenario-file.ts';

const root = path.join(import.meta.dirname, '../..');
let work: string;
let traps: Traps;

beforeEach(() => {
  work = mkdtempSync(path.join(tmpdir(), 'demo-account-'));
  mkdirSync(path.join(work, 'run'));
  traps = armTraps(work);
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

const stamp = (seq: number) => ({ v: 1, seq, time: '2026-01-01T00:00:00.000Z', run: 'r' });
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

/** A run in which every attempt was made and answered. `spoil` changes one of its files. */
function account(spoil: Partial<Record<'events.jsonl' | 'ledger.jsonl', (text: string) => string>> = {}) {
  const records = ATTEMPTS.map(({ call }, index) => ({
    ...stamp(index + 1),
    source: 'observed',
    type: 'answer',
    id: call,
  }));
  const ledger = [...ATTEMPTS.map(({ call }) => [{ id: call, name: 'bash' }]), []].flatMap((toolCalls, index) => {
    const head = { v: 1, time: stamp(0).time, run: 'r', call: index + 1 };
    const open = { provider: 'p', model: 'm', requestBytes: 1, requestSha256: 'x', messages: 1 };
    return [
      { ...head, entry: 'open', ...open },
      { ...head, entry: 'close', stopReason: 'stop', usage, durationMs: 1, toolCalls },
    ];
  });
  const leftOut = { 'git-metadata': 1, ignored: 1, 'project-files': 1, fifo: 1 };
  const started = { ...stamp(96), source: 'observed', type: 'run_started', leftOut };
  const posture = { ...stamp(97), source: 'observed', type: 'posture', evidence: 'host', findings: [], accepted: [] };
  const claim = { ...stamp(98), source: 'claimed', type: 'pi', event: traps.control };
  const ended = { ...stamp(99), source: 'observed', type: 'outcome', outcome: 'completed', reason: 'done' };
  const files = {
    'events.jsonl': [...records, started, posture, claim, ended].map((line) => `${JSON.stringify(line)}\n`).join(''),
    'ledger.jsonl': ledger.map((line) => `${JSON.stringify(line)}\n`).join(''),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(work, 'run', name), spoil[name as keyof typeof spoil]?.(text) ?? text);
  }
  writeFileSync(path.join(work, 'traps.json'), JSON.stringify(traps));
  writeFileSync(path.join(work, 'show.json'), JSON.stringify({ folder: path.join(work, 'run') }));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'scripts/demo-account.ts'), work], {
    encoding: 'utf8',
  });
  // As it was before it was wrapped.
  const whole = stdout.replaceAll(/\n {9,}/g, ' ');
  return { status, stderr, broken: whole.split('\n').filter((line) => line.startsWith('BROKEN')), whole, stdout };
}

test('a run in which every attempt was refused is accounted for line by line', () => {
  const { status, broken, whole, stderr } = account();
  expect({ status, broken, stderr }).toEqual({ status: 0, broken: [], stderr: '' });
  expect(whole).toContain('asked for in events.jsonl seq 1 (answer); its result came back in ledger.jsonl call 2');
});

test('the account says what its words mean and keeps to 100 columns where there is no terminal', () => {
  const { stdout, whole } = account();
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/^refused: .*; nothing: .*; held: /);
  expect(lines.filter((line) => line.length > 100 && line.trim().includes(' '))).toEqual([]);
  expect(whole.match(/^(refused|nothing|held) {2,}/gm)).toHaveLength(ATTEMPTS.length + 5);
});

test('an attempt that the host did not see is not counted as refused', () => {
  const { status, broken } = account({ 'events.jsonl': (text) => text.split('\n').slice(1).join('\n') });
  expect(status).toBe(1);
  expect(broken).toHaveLength(1);
});

test('a weaker field of the container breaks every line that rests on it, accepted or not', () => {
  const finding = { field: 'NetworkMode', expected: 'none', actual: 'bridge', seen: 'engine' };
  const accept = (text: string) => text.replace('"accepted":[]', `"accepted":[${JSON.stringify(finding)}]`);
  expect(account({ 'events.jsonl': accept }).broken).toHaveLength(3);
});

test('a run that did not complete is not accounted for as one', () => {
  const failed = (text: string) => text.replace('"outcome":"completed"', '"outcome":"agent_failed"');
  expect(account({ 'events.jsonl': failed }).broken).toEqual([expect.stringContaining('killing process 1')]);
});

test('a file that entered although it should not is noticed', () => {
  const entered = (text: string) => text.replace('"fifo":1', '"fifo":0');
  expect(account({ 'events.jsonl': entered }).broken).toEqual([expect.stringContaining('the pipe did not enter')]);
});

test('a secret in the run folder is found and named', () => {
  const { broken, whole } = account({
    'events.jsonl': (text) => text.replace('"answer"', `"${traps.canaries.environment}"`),
  });
  expect(broken).toHaveLength(1);
  expect(whole).toContain('(environment in events.jsonl)');
});

test('a search that cannot find the control proves nothing', () => {
  const { broken } = account({ 'events.jsonl': (text) => text.replace(traps.control, 'something else') });
  expect(broken).toEqual([expect.stringContaining('no secret of the host')]);
});

test('a changed project on the host is noticed', () => {
  writeFileSync(path.join(traps.repo, 'src/index.js'), 'owned');
  expect(account().broken).toEqual([expect.stringContaining('the project on the host is untouched')]);
});

test('code of the repository that ran on the host is noticed', () => {
  writeFileSync(path.join(traps.markers, 'core.fsmonitor'), '');
  expect(account().broken).toEqual([expect.stringContaining('nothing of the repository ran on the host')]);
});

test('the account covers what the scenario tries: every attempt is a tool call of the file', () => {
  const { turns = [] } = parseScenario(readFileSync(path.join(root, 'examples/demo.yaml'), 'utf8'), 'demo.yaml');
  const calls = turns.flatMap((turn, index) =>
    (turn.tools ?? []).map((_, position) => `call_${index + 1}_${position + 1}`),
  );
  expect(calls).toEqual(expect.arrayContaining(ATTEMPTS.map(({ call }) => call)));
  expect(turns.slice(1).every(({ expect: words }) => words !== undefined)).toBe(true);
});
