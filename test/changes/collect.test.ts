import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readFrom } from '../../src/changes/start-content.ts';
import { tempFolder } from '../support/cli.ts';
import { changesOf, collect, dir, file, link, refusedOf, treeOf } from './collect-support.ts';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

test('adding, changing, deleting, modes and types are told apart (D50, D64)', async () => {
  const start = treeOf({
    same: file('same'),
    text: file('1'),
    run: file('#!'),
    old: file('old'),
    link: link('text'),
    turns: file('x'),
    folder: dir,
    'full/a': file('a'),
  });
  const end = treeOf({
    same: file('same', 0o666),
    text: file('2'),
    run: file('#!', 0o755),
    link: link('same'),
    turns: dir,
    empty: dir,
    nothing: file(''),
    'full/a': file('a'),
  });
  const { set, store } = await collect(start, end);
  expect(changesOf({ set, store })).toEqual([
    'add empty',
    'delete folder',
    'modify link',
    'add nothing',
    'delete old',
    'mode run',
    'modify text',
    'type turns',
  ]);
  expect(set.changes[6]).toEqual({
    path: 'text',
    kind: 'modify',
    before: { type: 'file', executable: false, size: 1, sha256: sha('1') },
    after: { type: 'file', executable: false, size: 1, sha256: sha('2') },
    risks: [],
  });
  expect(set.changes[2]).toMatchObject({ before: { type: 'symlink', target: 'text' }, after: { target: 'same' } });
  expect(store.readBlob(sha('1')).toString()).toBe('1');
  expect(store.readBlob(sha('2')).toString()).toBe('2');
  expect(store.load()).toEqual(set);
});

test('nothing changed is a complete and empty change set, and keeps no content', async () => {
  const tree = treeOf({
    'a/b': file('b'),
    l: link('/outside'),
    '.GIT/config': file('was there'),
    A: file('1'),
    'sub.git/HEAD': file('ref'),
    'sub.git/objects': dir,
    'sub.git/refs': dir,
  });
  tree.set('a', dir).set('A', file('case'));
  const { set, store } = await collect(tree, tree);
  expect(set).toMatchObject({ outcome: 'complete', reasons: [], changes: [], refused: [], refusedCount: 0 });
  expect(readdirSync(store.folder)).toEqual(['changes.json']);
});

test('a moved file is told as a guess where its content is there once on both sides', async () => {
  const start = treeOf({ 'old.txt': file('moved'), one: file('twice'), two: file('twice'), empty: file('') });
  const { set } = await collect(start, treeOf({ 'new.txt': file('moved'), three: file('twice'), void: file('') }));
  const renamed = set.changes.filter(({ renamedFrom }) => renamedFrom !== undefined);
  expect(renamed.map(({ path, renamedFrom }) => [path, renamedFrom])).toEqual([['new.txt', 'old.txt']]);
});

test('what was there keeps its odd names; what is new beside it does not (D47)', async () => {
  const start = treeOf({ 'README.md': file('1'), 'readme.md': file('2'), Notes: file('3') });
  const end = treeOf({ 'README.md': file('changed'), 'readme.md': file('2'), Notes: file('3'), notes: file('4') });
  const collected = await collect(start, end);
  expect(changesOf(collected)).toEqual(['modify README.md']);
  expect(collected.set.refused).toEqual([
    {
      path: 'notes',
      reason: 'name-collision',
      detail: 'On a disk that ignores case or Unicode form it is one with Notes.',
    },
  ]);
  const renamed = treeOf({ 'README.md': file('1'), 'readme.md': file('2'), notes: file('3') });
  expect(changesOf(await collect(start, renamed))).toEqual(['delete Notes', 'add notes']);
});

test('files of repositories inside the tree are plain files; their .git is refused as a whole (D37, D38)', async () => {
  const start = treeOf({ 'services/a/main.c': file('1'), 'lib/x/y.c': file('1') });
  const end = treeOf({
    'services/a/main.c': file('2'),
    'lib/x/y.c': file('2'),
    'services/a/.git/HEAD': file('ref'),
    'services/a/.git/config': file('[core]'),
    'lib/x/.git': file('gitdir: ../../.git'),
  });
  const collected = await collect(start, end);
  expect(changesOf(collected)).toEqual(['modify lib/x/y.c', 'modify services/a/main.c']);
  expect(refusedOf(collected)).toEqual(['git-metadata lib/x/.git', 'git-metadata services/a/.git']);
  expect(collected.set.refused[1]?.detail).toContain('With it 2 entries below it.');
  expect(collected.set.refusedCount).toBe(4);
});

test('a repository that was there without .git can change, but not in what git runs (GT5)', async () => {
  const bare = { 'b/HEAD': file('ref'), 'b/objects/aa': file('1'), 'b/refs/x': file('1'), 'b/config': file('[core]') };
  const end = treeOf({
    ...bare,
    'b/refs/x': file('2'),
    'b/config': file('[core]\nfsmonitor=x'),
    'b/hooks/post-commit': file('#!'),
  });
  const collected = await collect(treeOf(bare), end);
  expect(changesOf(collected)).toEqual(['modify b/refs/x']);
  expect(refusedOf(collected)).toEqual(['git-metadata b/config', 'git-metadata b/hooks']);
});

test.each([
  ['through another link', { a: link('d'), 'd/x': file(''), l: link('a/../../etc') }],
  ['through a link to the root', { 'd/root': link('..'), l: link('d/root/../etc') }],
  ['through something unknown', { l: link('nothing/../../x') }],
  ['through a loop', { a: link('b'), b: link('a'), l: link('a/x') }],
  ['by an absolute path', { l: link('/etc/passwd') }],
  ['into git metadata', { l: link('sub/.git/hooks') }],
  ['into git metadata by another name', { l: link('GIT~1/config') }],
  ['over the root', { 'd/l': link('../../x'), l: link('../x') }],
])('a link that leads out %s is refused (D61)', async (_, nodes) => {
  const collected = await collect(treeOf({}), treeOf(nodes));
  expect(refusedOf(collected)).toContain(`outside ${'l' in nodes ? 'l' : ''}`);
  expect(changesOf(collected)).not.toContain('add l');
});

test('a link to outside that was there stays, and goes when it is deleted', async () => {
  const start = treeOf({ l: link('/etc/passwd'), m: link('/etc/hosts') });
  expect(changesOf(await collect(start, treeOf({ l: link('/etc/passwd') })))).toEqual(['delete m']);
  const through = await collect(start, treeOf({ l: link('/etc/passwd'), m: link('l') }));
  expect(refusedOf(through)).toEqual(['outside m']);
  expect(changesOf(through)).toEqual([]);
});

test('what is refused stays as it was, with all that was in it', async () => {
  const start = treeOf({ 'd/a': file('a'), 'd/b': file('b'), f: file('f'), '.GIT/config': file('x') });
  const collected = await collect(start, [
    { name: './d', type: '2', target: '/elsewhere' },
    { name: './f', type: '6' },
  ]);
  expect(refusedOf(collected)).toEqual(['git-metadata .GIT', 'outside d', 'fifo f']);
  expect(changesOf(collected)).toEqual([]);
});

test('a folder stays for what may not be deleted in it, and does not become something else', async () => {
  const start = treeOf({ 'd/.GIT/x': file('x'), 'd/f': file('f') });
  const emptied = await collect(start, treeOf({}));
  expect(refusedOf(emptied)).toEqual(['git-metadata d/.GIT']);
  expect(changesOf(emptied)).toEqual(['delete d/f']);
  const replaced = await collect(start, treeOf({ d: file('a file now') }));
  expect(refusedOf(replaced)).toEqual(['git-metadata d', 'git-metadata d/.GIT']);
  expect(changesOf(replaced)).toEqual([]);
});

test('a folder that only its content names is there', async () => {
  const start = treeOf({ 'd/e/f': file('f') });
  expect(changesOf(await collect(start, [{ name: './d/e/f', content: 'f' }]))).toEqual([]);
  const more = await collect(start, [
    { name: './d/e/f', content: 'f' },
    { name: './n/m/f', content: 'f' },
  ]);
  expect(changesOf(more)).toEqual(['add n', 'add n/m', 'add n/m/f']);
});

test('a start content is kept only if the host still has it', async () => {
  const start = treeOf({
    'a.txt': file('a'),
    'b.txt': file('b'),
    'c.txt': file('c'),
    'd.txt': file('d'),
    'e.txt': file('e'),
  });
  const root = tempFolder();
  writeFileSync(`${root}/a.txt`, 'a');
  writeFileSync(`${root}/b.txt`, 'changed by the user');
  symlinkSync('a.txt', `${root}/c.txt`);
  execFileSync('mkfifo', [`${root}/d.txt`]);
  mkdirSync(`${root}/e.txt`);
  const collected = await collect(start, treeOf({}), { readStart: readFrom(root) });
  expect(collected.set.changes.map(({ kind }) => kind)).toEqual(['delete', 'delete', 'delete', 'delete', 'delete']);
  expect(readdirSync(collected.store.folder).sort()).toEqual([sha('a'), 'changes.json'].sort());
});

test('risks are judged with what a file held and holds', async () => {
  const seen: unknown[] = [];
  const { set } = await collect(treeOf({ a: file('old') }), treeOf({ a: file('new'), b: link('c') }), {
    risksOf: ({ path, kind }, { before, after }) => {
      seen.push([path, kind, before()?.toString(), after()?.toString()]);
      return path === 'b' ? [{ class: 'symlink', what: 'a' }] : [];
    },
  });
  expect(seen).toEqual([
    ['a', 'modify', 'old', 'new'],
    ['b', 'add', undefined, undefined],
  ]);
  expect(set.changes[1]?.risks).toEqual([{ class: 'symlink', what: 'a' }]);
});

const twoFiles = treeOf({ 'a:b': file('1'), 'd/x': file('2'), 'line\nfeed': file('3'), other: file('4') });

test.each([
  [
    'a file',
    'tar: ./a\\:b: Cannot open: Permission denied\n',
    ['unreadable a:b'],
    ['delete d', 'delete d/x', 'delete line\\x0afeed'],
  ],
  ['a folder', 'tar: ./d: Cannot open: Permission denied\n', ['unreadable d'], ['delete a:b', 'delete line\\x0afeed']],
  [
    'an odd name',
    'tar: ./line\\nfeed: file changed as we read it\n',
    ['unreadable line\\x0afeed'],
    ['delete a:b', 'delete d', 'delete d/x'],
  ],
  ['something else as well', 'tar: ./d: Cannot open: Permission denied\ntar: out of memory\n', ['unreadable d'], []],
  ['nothing', '', [], []],
])(
  'where tar complains about %s, only what it tells of counts as deleted (EX12)',
  async (_, stderr, refused, changes) => {
    const last = 'tar: Exiting with failure status due to previous errors\n';
    const collected = await collect(twoFiles, treeOf({ other: file('4') }), {
      exit: async () => ({ exitCode: 2, stderr: stderr + last }),
    });
    expect(refusedOf(collected)).toEqual(refused);
    expect(changesOf(collected)).toEqual(changes);
    expect(collected.set.outcome).toBe('partial');
    expect(collected.set.reasons[0]).toContain('exit code 2');
  },
);

test('a socket is listed, and what it replaced stays (EX4)', async () => {
  const collected = await collect(treeOf({ s: file('was a file') }), treeOf({ other: file('') }), {
    exit: async () => ({ exitCode: 0, stderr: 'tar: ./s: socket ignored\ntar: ./new: socket ignored\n' }),
  });
  expect(refusedOf(collected)).toEqual(['socket new', 'socket s']);
  expect(changesOf(collected)).toEqual(['add other']);
  expect(collected.set.outcome).toBe('complete');
});

test('an aborted collection ends with the reason', async () => {
  const aborted = AbortSignal.abort(new Error('interrupted'));
  await expect(collect(treeOf({}), treeOf({ a: file('a') }), { signal: aborted })).rejects.toThrow('interrupted');
});
