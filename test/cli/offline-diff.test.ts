import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { strictParse } from '../../src/lib/strict-parse.ts';
import { ChangeSetView } from '../../src/protocol/change-view.ts';
import { expectApplies, git, repository } from '../changes/support.ts';
import { changeSet, readTree, sha256, type Tree } from '../support/change-sets.ts';
import { offline, silentSocket } from '../support/offline.ts';
import { COMPLETED, listedPlan, writeRun } from '../support/runs.ts';
import { RUN, ranOver } from './diff-support.ts';

const HARMFUL = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;
const LATIN1 = Buffer.from('caf\xe9 1\n', 'latin1');

test('what needs an eye comes first, and the hunk that does is labelled', async () => {
  const lines = Array.from({ length: 40 }, (_, at) => ` "k${at}": 1,`);
  const json = (...more: [number, string][]): string => {
    const changed = [...lines];
    for (const [at, line] of more) changed[at] = line;
    return `${changed.join('\n')}\n`;
  };
  const { diff } = ranOver(
    { 'a.txt': 'one\n', 'package.json': json() },
    {
      'a.txt': 'two\n',
      'package.json': json([2, ' "version": 2,'], [30, ' "postinstall": "x",']),
      'x.bin': Buffer.alloc(9),
    },
    {
      risks: {
        'package.json': [{ class: 'package-script', what: 'scripts.postinstall', lines: [31, 31] }],
        'x.bin': [{ class: 'binary', what: 'not text' }],
      },
    },
  );
  const { code, stdout, stderr } = await diff();
  expect(code).toBe(0);
  expect(stderr).toBe('');
  const shown = stdout.split('\n');
  expect(shown[0]).toBe(`Run ${RUN} of /repo: 3 changes (1 added, 2 modified); 2 need your eye`);
  const places = [
    '  package.json  package-script: scripts.postinstall (line 31)',
    '  x.bin  binary: not text',
    'package.json  modified',
    '+ "version": 2,',
    '@@ -28,7 +28,7 @@',
    '! package-script: scripts.postinstall (line 31)',
    '+ "postinstall": "x",',
    'x.bin  added',
    '! binary: not text',
    'a.txt  modified',
    '+two',
  ].map((line) => shown.findIndex((one) => one.startsWith(line)));
  expect(
    places.every((place) => place > 0),
    String(places),
  ).toBe(true);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(shown.filter((line) => line.startsWith('! package-script'))).toHaveLength(1);
});

test('a folder is not called empty because what fills it is shown among the risks', async () => {
  const files = { 'new/ci.yml': 'x\n' };
  const { diff } = ranOver(
    {},
    { new: { dir: true }, ...files, bare: { dir: true } },
    {
      risks: { 'new/ci.yml': [{ class: 'ci', what: 'CI configuration, new' }] },
    },
  );
  const { stdout } = await diff();
  expect(stdout).not.toMatch(/^ {2}new: /m);
  expect(stdout).toMatch(/^ {2}bare: an empty folder/m);
});

test('text from the sandbox is shown and not obeyed, in names and in content (EX11)', async () => {
  const evil = 'x\u001b[2J\u202e\u200b\u009b\r\u2028 y\n';
  const { diff } = ranOver(
    {},
    { 'a\\x1b[31m\\xe2\\x80\\xae': evil, '::error': '::set-output name=x::y\n', l: { link: '\\x1b[2J' } },
    { refused: [{ path: 'r\\x1b', reason: 'device', detail: 'A \u001b[2J device.' }], root: '/re\u001b[2Jpo' },
  );
  for (const form of [[], ['--stat'], ['--json']]) {
    const { code, stdout, stderr } = await diff(...form);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(HARMFUL);
  }
  const { stdout } = await diff();
  expect(stdout).toContain('+x␛[2J<U+202E><U+200B><U+009B>␍<U+2028> y');
  expect(stdout).not.toMatch(/^\s*::/m);
});

test('the patch is the same bytes in a file, on standard output and in JSON, and applies (D53, D54)', async () => {
  const before: Tree = { 'blank.txt': 'one\n\n \n', 'latin1.txt': LATIN1, 'b.png': Buffer.from([0, 1]) };
  const after: Tree = {
    'blank.txt': 'ONE\n\n \n',
    'latin1.txt': Buffer.from('caf\xe9 2\n', 'latin1'),
    'b.png': Buffer.from([0, 2]),
    new: '',
  };
  const { diff, run, home } = ranOver(before, after);
  const { code, stdoutBytes, stderr } = await diff('--patch');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expectApplies(stdoutBytes, before, after);
  const json: unknown = JSON.parse((await diff('--json')).stdout);
  const parsed = strictParse(ChangeSetView, json);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  expect(Buffer.from(parsed.value.patch ?? '', 'base64')).toEqual(stdoutBytes);
  const file = path.join(home, 'p.patch');
  await run(['diff', RUN, '--patch'], { via: ['sh', '-c', `exec "$@" > '${file}'`, 'sh'] });
  expect(readFileSync(file)).toEqual(stdoutBytes);
});

test('--stat has a line for each change, lines for text and sizes for binaries', async () => {
  const { diff } = ranOver(
    { 'a.txt': '1\n2\n3\n', 'b.png': Buffer.from([0, 1]), gone: 'x\n', run: 'x' },
    {
      'a.txt': '1\n4\n3\n5\n',
      'b.png': Buffer.alloc(2048),
      d: { dir: true },
      'd/x': 'x\n',
      run: { run: 'x' },
      e: { dir: true },
    },
    { risks: { run: [{ class: 'executable-bit', what: 'now executable' }] } },
  );
  const { stdout } = await diff('--stat');
  expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '))).toEqual([
    'a.txt  +2 -1  modified',
    'b.png  binary 2 B -> 2 KiB  modified',
    'd/x  +1 -0  added',
    'e  -  added, folder',
    'gone  +0 -1  deleted',
    'run  -  mode changed, now executable  ! executable-bit',
    '6 paths changed, 3 lines added, 2 lines removed',
    '',
  ]);
});

test('only what is named is shown, from where one stands', async () => {
  const root = repository({});
  mkdirSync(path.join(root, 'sub'));
  const tree: Tree = { 'a.txt': 'a\n', 'sub/a.txt': 'sub\n', 'sub/b.txt': 'b\n', 'caf\\xe9': 'x\n' };
  const { run } = ranOver({}, tree, { root });
  const names = async (cwd: string, ...named: string[]): Promise<string[]> => {
    const { stdout } = await run(['diff', 'last', '--json', ...named], { cwd });
    const view = JSON.parse(stdout) as ChangeSetView;
    expect(view.paths).toEqual(named);
    expectApplies(
      Buffer.from(view.patch ?? '', 'base64'),
      {},
      Object.fromEntries(view.changes.map((one) => [one.path, tree[one.path]!])),
    );
    return view.changes.map((change) => change.path);
  };
  expect(await names(root, 'a.txt')).toEqual(['a.txt']);
  expect(await names(path.join(root, 'sub'), 'a.txt')).toEqual(['sub/a.txt']);
  expect(await names(path.join(root, 'sub'), '.')).toEqual(['sub/a.txt', 'sub/b.txt']);
  expect(await names(root, 'caf\\xe9')).toEqual(['caf\\xe9']);
  const wrong = await run(['diff', 'last', '--patch', 'sub/c.txt'], { cwd: root });
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Did you mean "sub/a.txt"?') });
});

test('a rename is told as the guess that it is, and the patch does not build on it', async () => {
  const [before, after]: Tree[] = [{ 'old.txt': 'moved\n' }, { 'new.txt': 'moved\n' }];
  const guessed = changeSet(before!, after!).set.changes.map((change) =>
    change.kind === 'add' ? { ...change, renamedFrom: 'old.txt' } : change,
  );
  const { diff } = ranOver(before!, after!, { changes: guessed });
  const words = 'same content as old.txt had: perhaps renamed';
  expect((await diff()).stdout).toContain(`new.txt  added, ${words}`);
  expect((await diff('--stat')).stdout).toContain(words);
  const { stdoutBytes } = await diff('--patch', '/repo/new.txt');
  expectApplies(stdoutBytes, before!, { ...before!, ...after! });
});

test('a patch that would not be whole is an error, and one of what was named is not (D62)', async () => {
  const { diff, store } = ranOver({ a: 'a\n', b: 'b\n' }, { a: 'A\n', b: 'B\n', e: { dir: true } });
  rmSync(store.blobPath(sha256('a\n')));
  const whole = await diff('--patch');
  expect(whole).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('a: its content at the start') });
  const part = await diff('--patch', 'b', 'e');
  expect(part).toMatchObject({ code: 0, stdout: expect.stringContaining('+B\n') });
  expect(part.stderr).toContain('Not in the patch: e: an empty folder');
  const text = await diff();
  expect(text).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('  a: its content at the start is no longer at hand'),
  });
  const view = JSON.parse((await diff('--json')).stdout) as ChangeSetView;
  expect(view.notInPatch).toEqual([
    { path: 'a', why: 'content-missing' },
    { path: 'e', why: 'empty-folder' },
  ]);
});

test('a partial set says so in every form, and its patch is given for named paths only', async () => {
  const reasons = ['The archive was cut.'];
  const { diff, set } = ranOver({}, { a: 'a\n' }, { outcome: 'partial', reasons });
  for (const form of [[], ['--stat'], ['--json'], ['--patch', set.root]]) {
    const { code, stdout, stderr } = await diff(...form);
    expect(code).toBe(0);
    expect(stdout + stderr).toMatch(/partial/i);
    expect(stdout + stderr).toContain('The archive was cut.');
  }
  expect(await diff('--patch')).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('cut') });
});

test('a patch of a folder in another repository says how it applies there, and that is true (D58)', async () => {
  const top = repository({ 'a.txt': 'old\n', 'sub/a.txt': 'old\n' });
  const root = path.join(top, 'sub');
  const { diff } = ranOver({ 'a.txt': 'old\n' }, { 'a.txt': 'new\n' }, { root });
  const { stdoutBytes, stderr } = await diff('--patch');
  const [, command = ''] = /use: git (apply .*)\n/.exec(stderr) ?? [];
  git(top, [...command.split(' '), '-'], { input: stdoutBytes });
  expect(readTree(top)).toEqual({ 'a.txt': Buffer.from('old\n'), 'sub/a.txt': Buffer.from('new\n') });
});

test('two forms at once are a fault of use', async () => {
  const { diff } = ranOver({}, { a: '' });
  expect(await diff('--stat', '--json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('exclude each other'),
  });
});

test('a run without a change set says why', async () => {
  const { run, home } = offline();
  const reads = { profile: 'review', model: { spec: 's' }, workspace: { root: '/r' } };
  const failed = {
    outcome: 'failed',
    reasons: ['The engine went away.'],
    changed: 0,
    ignoredCount: 0,
    folders: 0,
    counts: {},
    risky: 0,
    risks: {},
    refusedCount: 0,
    refused: [],
  };
  const discarded = { v: 1, state: 'discarded', time: '2026-11-30T02:20:00.000Z', digest: 'a'.repeat(64), of: 3 };
  const cases: [string, Record<string, unknown>, number, string][] = [
    ['1', { 'plan.json': reads, 'outcome.json': COMPLETED }, 2, 'profile review'],
    ['2', { 'plan.json': listedPlan('/r'), 'outcome.json': COMPLETED }, 5, 'ended before the agent could change'],
    ['3', { 'plan.json': listedPlan('/r') }, 5, 'its controller is gone'],
    ['4', { 'plan.json': listedPlan('/r'), 'hand-back.json': failed }, 5, 'taken out. The engine went away.'],
    ['5', { 'plan.json': listedPlan('/r'), 'changes-state.json': discarded }, 5, 'were discarded at 2026'],
  ];
  for (const [digit, files, code, words] of cases) {
    const id = `2026110${digit}T021610-3f9a2c`;
    writeRun(home, id, files);
    expect(await run(['diff', id])).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
  }
  const live = writeRun(home, RUN, { 'plan.json': listedPlan('/r') });
  await silentSocket(path.join(live, 'control'));
  expect(await run(['diff', RUN])).toMatchObject({ code: 2, stderr: expect.stringContaining('still goes on') });
});

test('an altered change set is refused, and nothing is left in the state folder', async () => {
  const { diff, folder, home } = ranOver({}, { a: 'a\n' });
  expect((await diff()).code).toBe(0);
  expect(Object.keys(readTree(path.join(home, 'pi-sandbox'))).filter((name) => name.startsWith('scratch'))).toEqual([]);
  const file = path.join(folder, 'changes/changes.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"path":"a"', '"path":"b"'));
  expect(await diff()).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('digest') });
});
