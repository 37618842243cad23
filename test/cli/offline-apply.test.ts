import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { END, START } from '../support/change-samples.ts';
import { asRead, readTree, writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { silentSocket } from '../support/offline.ts';
import { RUN, runWithChanges } from '../support/run-with-changes.ts';

const AT_RISK = {
  '.github/workflows/x.yml': [{ class: 'ci' as const, what: 'runs on push' }],
  '.envrc': [{ class: 'shell-start-up' as const, what: 'runs when a shell enters' }],
  data: [{ class: 'symlink' as const, what: 'a link' }],
};
const RISKY = { 'a.txt': '2', '.github/workflows/x.yml': 'on: push', '.envrc': 'export A=1', data: { link: 'a.txt' } };

/** The changes from START to END, folders only where nothing else tells of them. */
const TOLD = [
  'a.txt',
  'caf\\xe9',
  'empty-folder',
  'empty.txt',
  'file-to-folder',
  'file-to-folder/inside/w',
  'folder-to-file',
  'folder-to-file/in',
  'gone/deep/x',
  'gone/y',
  'link',
  'link-to-file',
  'new/deep/z',
  'run.sh',
];

function stateOf(folder: string): unknown {
  return JSON.parse(readFileSync(path.join(folder, 'changes-state.json'), 'utf8'));
}

describe('apply', () => {
  test('writes all, names every change and the digest, and the second time finds it done', async () => {
    const { run, set, repo, folder, tree } = runWithChanges(START, END);
    const first = await run(['apply', 'last'], { cwd: repo });
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout.trimEnd().split('\n').toSorted()).toEqual(TOLD.toSorted());
    expect(first.stderr).toContain(`Applied 14 changes of run ${RUN} to ${repo}.\n`);
    expect(first.stderr).toContain(set.digest);
    expect(tree()['new/deep/z']).toMatch(/^file/);
    expect((await run(['show', RUN])).stdout).toContain(`applied to ${repo} at `);
    expect(stateOf(folder)).toMatchObject({ state: 'applied', digest: set.digest, target: repo, changes: 14, of: 14 });
    const again = await run(['apply', RUN]);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toContain(`Already applied: 14 changes of run ${RUN} in ${repo}.\n`);
  });

  test('counts and names what diff does, before, while and after it writes', async () => {
    const { run, repo, set, folder } = runWithChanges(START, END);
    expect(set.changes.length).toBeGreaterThan(TOLD.length);
    expect((await run(['diff', RUN])).stdout).toContain(`of ${repo}: 14 changes (`);
    const stat = (await run(['diff', RUN, '--stat'])).stdout.trimEnd().split('\n');
    expect(stat.slice(0, -1).map((line) => line.split(/ {2,}/)[0])).toEqual(TOLD);
    expect(stat.at(-1)).toMatch(/^14 paths changed/);
    const checked = await run(['apply', RUN, '--check']);
    expect(checked.stderr).toContain(`14 changes would be applied to ${repo}. Nothing was written.\n`);
    const lines = checked.stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(line.indexOf(' ') + 1)).toSorted()).toEqual(TOLD.toSorted());
    const part = await run(['apply', RUN, 'gone', 'new', 'empty-folder']);
    expect(part.stdout.trimEnd().split('\n').toSorted()).toEqual([
      'empty-folder',
      'gone/deep/x',
      'gone/y',
      'new/deep/z',
    ]);
    expect(part.stderr).toContain(`Applied 4 changes of run ${RUN} to ${repo}.\n`);
    expect(stateOf(folder)).toMatchObject({ changes: 4, of: 14 });
    expect((await run(['show', RUN])).stdout).toContain('(4 of 14)');
    const rest = await run(['apply', RUN]);
    expect(rest.stderr).toContain(`Applied 10 changes of run ${RUN} to ${repo}, 4 were there already.\n`);
    expect((await run(['discard', RUN])).stderr).toBe(`Discarded 14 changes of run ${RUN}. The run itself is kept.\n`);
    expect(stateOf(folder)).toMatchObject({ state: 'discarded', of: 14 });
  });

  test('names a folder where nothing else is left to tell of it', async () => {
    const { run, repo } = runWithChanges({ 'd/x': 'x', 'e/x': 'x' }, { 'n/deep': { dir: true } });
    rmSync(path.join(repo, 'd/x'));
    const checked = await run(['apply', RUN, '--check']);
    expect(checked.stdout.trimEnd().split('\n').toSorted()).toEqual(['add n/deep', 'delete d', 'delete e/x']);
    const applied = await run(['apply', RUN]);
    expect(applied.stdout.trimEnd().split('\n').toSorted()).toEqual(['d', 'e/x', 'n/deep']);
    expect(applied.stderr).toContain(`Applied 3 changes of run ${RUN} to ${repo}, 1 was there already.\n`);
  });

  test('a folder in the way counts with what is in it, or for itself (D63)', async () => {
    const { run, repo } = runWithChanges({ 'd/x': 'x', 'e/x': 'x' }, { 'n/w': 'w' });
    rmSync(path.join(repo, 'd'), { recursive: true });
    symlinkSync('e', path.join(repo, 'd'));
    rmSync(path.join(repo, 'e'), { recursive: true });
    for (const name of ['e', 'n']) writeFileSync(path.join(repo, name), 'mine\n');
    const { code, stderr } = await run(['apply', RUN]);
    expect(code).toBe(6);
    expect(stderr.split('Nothing was written')[0]).toBe(
      '3 paths in the way:\n  d/x cannot be reached: d is a symbolic link\n  e/x cannot be reached: e is not a folder\n' +
        '  n was added in the sandbox, and there is a file of this name now\n',
    );
  });

  test('from a subfolder changes the right files, also inside another repository (D55, D58)', async () => {
    const { run, repo } = runWithChanges(
      { 'a.txt': 'same', 'sub/a.txt': 'same' },
      { 'a.txt': 'same', 'sub/a.txt': 'new' },
    );
    execFileSync('git', ['init', '-q', path.dirname(repo)]);
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'diff.noprefix', GIT_CONFIG_VALUE_0: 'true' };
    expect(await run(['apply', RUN], { cwd: path.join(repo, 'sub'), env })).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(repo, 'a.txt'), 'utf8')).toBe('same');
    expect(readFileSync(path.join(repo, 'sub/a.txt'), 'utf8')).toBe('new');
  });

  test('takes paths, with the new folders they need', async () => {
    const { run, tree } = runWithChanges({ a: '1', b: '1' }, { a: '2', b: '2', 'n/e/w': 'w', 'n/other': 'o' });
    expect(await run(['apply', RUN, 'a', 'n/e'])).toMatchObject({ code: 0, stdout: 'a\nn/e/w\n' });
    expect(Object.keys(tree())).toEqual(['a', 'b', 'n', 'n/e', 'n/e/w']);
    const none = await run(['apply', RUN, 'nothing']);
    expect(none).toMatchObject({ code: 2 });
  });

  test('lists, shows and takes unusual names alike, each by itself (D56)', async () => {
    const names = [
      'ä.txt',
      'q"x',
      'a\\x09b',
      'a\\x0ab',
      ' lead',
      'trail ',
      '-rf',
      'a -> b',
      '{a}',
      '*',
      'b\\x5cs',
      'caf\\xe9',
    ];
    const tree = (content: string) => Object.fromEntries(names.map((name) => [name, content]));
    const { run, set, repo } = runWithChanges(tree('1'), { ...tree('2'), plain: 'p' });
    const listed = set.changes.map((change) => change.path);
    expect(listed.toSorted()).toEqual([...names, 'plain'].toSorted());
    const view = JSON.parse((await run(['diff', RUN, '--json'])).stdout) as { changes: { path: string }[] };
    expect(view.changes.map((change) => change.path)).toEqual(listed);
    const stat = (await run(['diff', RUN, '--stat'])).stdout;
    for (const name of listed) expect(stat).toContain(`${name}  `);
    for (const name of names) {
      expect(await run(['apply', RUN, '--check', '--', name], { cwd: repo }), name).toMatchObject({
        code: 0,
        stdout: `modify ${name}\n`,
      });
    }
    expect((await run(['apply', RUN])).stdout).toBe(listed.map((name) => `${name}\n`).join(''));
    expect(readTree(repo)).toEqual(asRead({ ...tree('2'), plain: 'p' }));
  });

  test('writes to another folder with --to, which must be a real one outside of any .git', async () => {
    const { run, tree, home } = runWithChanges(START, END);
    const [before, copy] = [tree(), tempFolder()];
    writeTree(copy, START);
    mkdirSync(path.join(copy, '.git/hooks'), { recursive: true });
    symlinkSync(copy, `${copy}-link`);
    expect(await run(['apply', RUN, '--to', copy])).toMatchObject({ code: 0 });
    expect(tree()).toEqual(before);
    expect(existsSync(path.join(copy, 'new/deep/z'))).toBe(true);
    for (const [folder, why] of [
      [`${copy}-link`, 'it is a symbolic link'],
      [`${copy}/none`, 'it does not exist'],
      [`${copy}/a.txt`, 'it is not a folder'],
      [`${copy}/.git/hooks`, 'it is in a .git'],
      ['/', 'it is the whole file system'],
      [path.join(home, 'pi-sandbox'), 'where pi-sandbox keeps its runs'],
    ] as const) {
      const refused = await run(['apply', RUN, '--to', folder]);
      expect(refused, folder).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    }
  });

  test('lists every conflict, writes nothing, keeps the set and says what to do next (D63)', async () => {
    const { run, repo, changes, tree, folder } = runWithChanges(START, END);
    writeFileSync(path.join(repo, 'a.txt'), 'mine\n');
    writeFileSync(path.join(repo, 'empty.txt'), 'mine\n');
    const before = tree();
    const refused = await run(['apply', RUN]);
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    for (const text of [
      '2 paths in the way:',
      'a.txt was changed since the start of the run',
      'empty.txt was added in the sandbox',
      `pi-sandbox diff ${RUN} --patch > file`,
      `pi-sandbox apply ${RUN} PATH...`,
    ]) {
      expect(refused.stderr).toContain(text);
    }
    expect(tree()).toEqual(before);
    expect(existsSync(path.join(changes, 'changes.json'))).toBe(true);
    expect(existsSync(path.join(folder, 'changes-state.json'))).toBe(false);
    expect(await run(['apply', RUN, 'run.sh'])).toMatchObject({ code: 0, stdout: 'run.sh\n' });
  });

  test('with --check says what would happen and writes nothing', async () => {
    const { run, tree, folder } = runWithChanges({ a: '1' }, { a: '2', b: 'b' });
    const before = tree();
    const checked = await run(['apply', RUN, '--check']);
    expect(checked).toMatchObject({ code: 0, stdout: 'modify a\nadd b\n' });
    expect(checked.stderr).toContain('Nothing was written.');
    expect(tree()).toEqual(before);
    expect(existsSync(path.join(folder, 'changes-state.json'))).toBe(false);
  });

  test('refuses a partial set as a whole, and takes it path by path (D62)', async () => {
    const { run, tree } = runWithChanges({ a: '1' }, { a: '2' }, { outcome: 'partial', reasons: ['too many files'] });
    const before = tree();
    const refused = await run(['apply', RUN]);
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('is partial') });
    expect(tree()).toEqual(before);
    expect(await run(['apply', RUN, 'a'])).toMatchObject({ code: 0 });
  });

  test('refuses an altered change set or content (EX12)', async () => {
    const { run, changes, set, tree } = runWithChanges({ a: '1' }, { a: '2' });
    const before = tree();
    const after = set.changes[0]!.after;
    if (after?.type !== 'file') throw new Error('no file');
    writeFileSync(path.join(changes, after.sha256), 'X');
    expect(await run(['apply', RUN])).toMatchObject({ code: 5, stderr: expect.stringContaining('was altered') });
    expect(tree()).toEqual(before);
    const text = readFileSync(path.join(changes, 'changes.json'), 'utf8');
    writeFileSync(path.join(changes, 'changes.json'), text.replace('"path":"a"', '"path":"b"'));
    expect(await run(['apply', RUN])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('digest does not fit'),
    });
    expect(tree()).toEqual(before);
  });

  test('is refused while another one is at work', async () => {
    const { run, home, tree } = runWithChanges({ a: '1' }, { a: '2' });
    const before = tree();
    await silentSocket(path.join(home, 'pi-sandbox/apply-0123456789ab.owner'));
    const refused = await run(['apply', RUN]);
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('Another apply is at work') });
    expect(tree()).toEqual(before);
  });
});

describe('what may run code', () => {
  test('is refused without consent, by class, with the command that gives it (D61)', async () => {
    const { run, repo, tree } = runWithChanges({ 'a.txt': '1' }, RISKY, { risks: AT_RISK });
    const before = tree();
    const refused = await run(['apply', RUN]);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toMatch(
      /^Risk ci: 1 change\. A CI service .*\n {2}\.github\/workflows\/x\.yml: ci: runs on push$/m,
    );
    const command = `pi-sandbox apply ${RUN} --allow-risk ci,shell-start-up,symlink`;
    expect(refused.stderr).toContain(command);
    expect(tree()).toEqual(before);
    const some = await run(['apply', RUN, '--allow-risk', 'ci', '--allow-risk', 'symlink']);
    expect(some).toMatchObject({ code: 6, stderr: expect.stringContaining('--allow-risk ci,symlink,shell-start-up') });
    expect(tree()).toEqual(before);
    const args = command.split(' ').slice(1);
    expect(await run(args, { cwd: repo })).toMatchObject({ code: 0 });
  });

  test('does not stand in the way of the rest', async () => {
    const { run } = runWithChanges({ 'a.txt': '1' }, RISKY, { risks: AT_RISK });
    expect(await run(['apply', RUN, 'a.txt'])).toMatchObject({ code: 0, stdout: 'a.txt\n' });
  });

  test('has no word for everything', async () => {
    const { run } = runWithChanges({ 'a.txt': '1' }, RISKY, { risks: AT_RISK });
    const refused = await run(['apply', RUN, '--allow-risk', 'all']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no word for all') });
  });
});

describe('discard', () => {
  test('removes the change set, keeps the run, and is on record', async () => {
    const { run, changes, folder, set } = runWithChanges({ a: '1' }, { a: '2' });
    expect(await run(['discard', RUN])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Discarded 1 change'),
    });
    expect(existsSync(changes)).toBe(false);
    expect(stateOf(folder)).toMatchObject({ state: 'discarded', digest: set.digest });
    expect((await run(['apply', RUN])).stderr).toContain('discarded');
    expect(await run(['discard', RUN])).toMatchObject({ code: 0 });
    expect((await run(['show', RUN])).stdout).toContain('discarded at');
  });
});
