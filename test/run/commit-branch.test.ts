import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { branching, commit, committedBy, ready, treeOf } from '../support/branching.ts';
import { END, START } from '../support/change-samples.ts';
import { writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { listing } from '../support/listing.ts';
import { git } from '../workspace/support.ts';

describe('a branch of a run', () => {
  it('holds what plain git commits for the same files; files, index, HEAD and branches stay (D58)', async () => {
    const { root, branch, set } = branching(START, END);
    writeTree(root, { 'my-own': 'not committed', staged: 'staged' });
    git(root, 'add', 'staged');
    const files = (): unknown =>
      Object.entries(listing(root)).filter(([name]) => !/^\.git\/(objects|refs|logs)/.test(name));
    const [before, head] = [files(), git(root, 'rev-parse', 'main')];
    const made = await branch('agent/work');
    expect(made.conflicts).toEqual([]);
    expect(treeOf(root, 'agent/work')).toEqual(committedBy(END));
    expect(git(root, 'rev-parse', 'agent/work').trim()).toBe(made.commit);
    expect(git(root, 'rev-parse', 'agent/work^').trim()).toBe(made.base);
    // Files, index, HEAD, configuration and all else but objects and names.
    expect(files()).toEqual(before);
    expect(git(root, 'rev-parse', 'main')).toBe(head);
    const message = git(root, 'log', '-1', '--format=%an <%ae>%n%B', 'agent/work');
    expect(message).toContain('pi-sandbox <pi-sandbox@localhost>');
    expect(message).toContain(set.digest);
    git(root, 'fsck', '--strict');
  });

  it('carries the name from the own configuration of the user, not from that of the repository', async () => {
    const { root, branch, homeDir } = branching({ a: '1' }, { a: '2' });
    git(root, 'config', 'user.name', 'Repository');
    writeFileSync(path.join(homeDir, '.gitconfig'), '[user]\n\tname = Ann Ex\n\temail = ann@example.org\n');
    await branch('b');
    expect(git(root, 'log', '-1', '--format=%an <%ae> %cn', 'b').trim()).toBe('Ann Ex <ann@example.org> Ann Ex');
  });

  it('must not exist, and must have a name that git takes', async () => {
    const { root, branch } = branching({ a: '1' }, { a: '2' });
    const main = git(root, 'rev-parse', 'main');
    await expect(branch('main')).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining('There is a branch'),
    });
    expect(git(root, 'rev-parse', 'main')).toBe(main);
    for (const name of ['-d', 'a..b', 'a b', 'HEAD', '', '@{-1}', 'x.lock', '../../x']) {
      await expect(branch(name), name).rejects.toMatchObject({ exitCode: 2 });
    }
    await expect(branch('main/below')).rejects.toMatchObject({ exitCode: 6 });
  });

  it('is the first commit of a repository without one', async () => {
    const root = tempFolder();
    git(root, 'init', '-q');
    const { branch } = ready(root, {}, { 'd/n': 'n' });
    await branch('first');
    expect(treeOf(root, 'first')).toHaveLength(1);
    expect(git(root, 'rev-list', '--count', 'first').trim()).toBe('1');
  });

  it('of a run in a subfolder has the paths of the whole repository', async () => {
    const root = tempFolder();
    git(root, 'init', '-q', '-b', 'main');
    writeTree(root, { a: 'top', 'sub/a': 'same' });
    commit(root);
    const { branch } = ready(path.join(root, 'sub'), { a: 'same' }, { a: 'new', b: 'b' });
    await branch('b');
    expect(git(root, 'show', 'b:sub/a')).toBe('new');
    expect(git(root, 'diff', '--name-status', 'main', 'b')).toBe('M\tsub/a\nA\tsub/b\n');
  });

  it('is made from a linked worktree too, on top of its HEAD (D36)', async () => {
    const { root } = branching({ a: '1' }, { a: '1' });
    const tree = path.join(tempFolder(), 'wt');
    git(root, 'worktree', 'add', '-q', tree, '-b', 'w');
    writeFileSync(path.join(tree, 'a'), 'w');
    commit(tree);
    await ready(tree, { a: 'w' }, { a: 'agent' }).branch('from-worktree');
    expect(git(root, 'rev-parse', 'from-worktree^')).toBe(git(root, 'rev-parse', 'w'));
    expect(git(root, 'show', 'from-worktree:a')).toBe('agent');
    expect(git(tree, 'status', '--porcelain')).toBe('');
  });

  it('of a repository with SHA-256 names works alike', async () => {
    const root = tempFolder();
    git(root, 'init', '-q', '--object-format=sha256', '-b', 'main');
    writeTree(root, { a: '1', gone: 'x' });
    commit(root);
    const { commit: made } = await ready(root, { a: '1', gone: 'x' }, { a: '2' }).branch('b');
    expect(made).toHaveLength(64);
    expect(git(root, 'show', 'b:a')).toBe('2');
    expect(git(root, 'ls-tree', '--name-only', 'b').trim()).toBe('a');
  });

  it('is made without the objects that a partial clone does not have (D40)', async () => {
    const { root } = branching({ '.gitattributes': '*.x filter=lfs\n', a: '1', 'd/b': 'b', 'd/c': 'c' }, {});
    git(root, 'config', 'uploadpack.allowFilter', 'true');
    const clone = path.join(tempFolder(), 'clone');
    git(path.dirname(root), 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${root}`, clone);
    rmSync(root, { recursive: true });
    expect(git(clone, 'rev-list', '--objects', '--missing=print', 'HEAD')).toMatch(/^\?/m);
    await ready(clone, { a: '1', 'd/b': 'b' }, { a: '2', 'd/b': 'agent' }).branch('b');
    expect(git(clone, 'show', 'b:d/b')).toBe('agent');
    const names = git(clone, 'ls-tree', '--name-only', '-r', 'b').trim().split('\n');
    expect(names).toEqual(['.gitattributes', 'a', 'd/b', 'd/c']);
  });

  it('is only looked at with a check', async () => {
    const { root, branch } = branching({ a: '1' }, { a: '2' });
    const objects = listing(path.join(root, '.git'));
    const looked = await branch('b', { check: true });
    expect(looked).toMatchObject({ conflicts: [], paths: ['a'] });
    expect(listing(path.join(root, '.git'))).toEqual(objects);
  });

  it('is not the one that is checked out without a commit: all of it would count as removed there', async () => {
    const root = tempFolder();
    git(root, 'init', '-q', '-b', 'main');
    const { branch } = ready(root, {}, { a: '1' });
    await expect(branch('main')).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining('checked out'),
    });
    await expect(branch('main', { check: true })).rejects.toMatchObject({ exitCode: 6 });
    expect(git(root, 'status', '--porcelain')).toBe('');
    await branch('other');
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  it('is refused outside of a repository', async () => {
    await expect(ready(tempFolder(), { a: '1' }, { a: '2' }).branch('b')).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('what HEAD does not have', () => {
  it('is refused by name, and nothing is made (D59)', async () => {
    const { root } = branching({ edited: 'HEAD', removed: 'x', same: '1' }, {});
    const from = { edited: 'mine', mine: 'new', same: '1' };
    const { branch, set } = ready(root, from, { edited: 'agent', mine: 'agent', removed: 'agent', same: '2' });
    expect((await branch('b')).conflicts).toEqual([
      { path: 'edited', why: expect.stringContaining('changed it without committing') },
      { path: 'mine', why: expect.stringContaining('had not committed it') },
      { path: 'removed', why: expect.stringContaining('removed it without committing') },
    ]);
    expect(git(root, 'branch', '--list', 'b')).toBe('');
    const { conflicts } = await branch('b', { picked: set.changes.filter((one) => one.path === 'same') });
    expect(conflicts).toEqual([]);
  });

  it('may be carriage returns that git itself put into the files (D57)', async () => {
    const { root } = branching({ a: 'one\ntwo\n', b: 'one\n' }, {});
    const from = { a: 'one\r\ntwo\r\n', b: 'one\n' };
    await ready(root, from, { a: 'one\r\n2\r\n', b: 'one\r\n' }).branch('b');
    expect(git(root, 'show', 'b:a')).toBe('one\n2\n');
    expect(git(root, 'show', 'b:b')).toBe('one\r\n');
  });

  it('may be a mode that this disk shows for every file (D64)', async () => {
    const { root } = branching({ a: '1', b: '1' }, {});
    const from = { a: { run: '1' }, b: { run: '1' } };
    await ready(root, from, { a: { run: '2' }, b: '1' }).branch('b');
    expect(treeOf(root, 'b').map((line) => line.slice(0, 6))).toEqual(['100644', '100644']);
  });

  it('may be what a filter would have to make first, such as a pointer of LFS (D39)', async () => {
    const attributes = { '.gitattributes': '*.bin filter=lfs diff=lfs -text\n*.md filter=lfs\n' };
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n';
    const { root } = branching({ ...attributes, 'sub/.gitattributes': '*.md -filter\n', 'p.bin': pointer, a: '1' }, {});
    const from = { ...attributes, 'sub/.gitattributes': '*.md -filter\n', a: '1', 'p.bin': pointer };
    const to = { ...from, a: '2', 'p.bin': 'content', 'sub/n.bin': 'content', 'n.md': 'n', 'sub/n.md': 'n' };
    const { branch, set } = ready(root, from, to);
    const why = 'is kept by the filter "lfs", which is not run here';
    expect((await branch('b')).conflicts).toEqual(['n.md', 'p.bin', 'sub/n.bin'].map((path) => ({ path, why })));
    expect(git(root, 'branch', '--list', 'b')).toBe('');
    const picked = set.changes.filter(({ path }) => ['a', 'sub/n.md'].includes(path));
    expect((await branch('b', { picked })).conflicts).toEqual([]);
    // A pointer may go, and may become executable.
    const moved = ready(root, from, { ...from, 'p.bin': { run: pointer } });
    expect((await moved.branch('c')).conflicts).toEqual([]);
    const { 'p.bin': _, ...rest } = from;
    expect((await ready(root, from, rest).branch('d')).conflicts).toEqual([]);
  });

  it('may be in a submodule or in a repository of its own (D37, D38)', async () => {
    const { root } = branching({ a: '1' }, {});
    mkdirSync(path.join(root, 'services/own'), { recursive: true });
    git(path.join(root, 'services/own'), 'init', '-q');
    const head = git(root, 'rev-parse', 'HEAD').trim();
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${head},lib/x`);
    git(root, 'commit', '-q', '-m', 'submodule');
    const from = { a: '1', 'lib/x/f': '1', 'services/own/main.c': '1' };
    const { branch } = ready(root, from, { a: '2', 'lib/x/f': '2', 'services/own/main.c': '2', 'services/own/n': 'n' });
    expect((await branch('b')).conflicts).toEqual([
      { path: 'lib/x/f', why: 'is in the submodule lib/x' },
      { path: 'services/own/main.c', why: 'is in services/own, which is a repository of its own' },
      { path: 'services/own/n', why: 'is in services/own, which is a repository of its own' },
    ]);
  });
});
