import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
    const { root } = branching({ a: '1', 'd/b': 'b', 'd/c': 'c' }, {});
    git(root, 'config', 'uploadpack.allowFilter', 'true');
    const clone = path.join(tempFolder(), 'clone');
    git(path.dirname(root), 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${root}`, clone);
    rmSync(root, { recursive: true });
    expect(git(clone, 'rev-list', '--objects', '--missing=print', 'HEAD')).toMatch(/^\?/m);
    await ready(clone, { a: '1', 'd/b': 'b' }, { a: '2', 'd/b': 'agent' }).branch('b');
    expect(git(clone, 'show', 'b:d/b')).toBe('agent');
    expect(git(clone, 'ls-tree', '--name-only', '-r', 'b').trim().split('\n')).toEqual(['a', 'd/b', 'd/c']);
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

describe('the repository of the user', () => {
  /** Each plants something that runs a script, and says which plain command sets it off. */
  const TRICKS: [string, (root: string, script: string) => void, string[]][] = [
    ['core.fsmonitor (GT1)', (root, script) => void git(root, 'config', 'core.fsmonitor', script), ['status']],
    [
      'a hook at every change of a branch (GT1)',
      (root, script) => hook(root, script, '.git/hooks', 'reference-transaction'),
      ['branch', 'control'],
    ],
    [
      'core.hooksPath (GT1)',
      (root, script) => {
        hook(root, script, '.git/own', 'reference-transaction');
        hook(root, script, '.git/own', 'post-commit');
        git(root, 'config', 'core.hooksPath', path.join(root, '.git/own'));
      },
      ['branch', 'control'],
    ],
    [
      'an included configuration (GT1)',
      (root, script) => {
        writeFileSync(path.join(root, '.git/more'), `[core]\n\tfsmonitor = ${script}\n`);
        git(root, 'config', 'include.path', 'more');
      },
      ['status'],
    ],
    ['a clean filter (GT2)', (root, script) => filter(root, 'clean', script), ['add', 'a.txt']],
    ['a filter process (GT2)', (root, script) => filter(root, 'process', script), ['add', 'a.txt']],
    ['a smudge filter (GT2)', (root, script) => filter(root, 'smudge', script), ['checkout', '-f', 'HEAD', '--', '.']],
    [
      'gpg.program (GT3)',
      (root, script) => {
        git(root, 'config', 'commit.gpgSign', 'true');
        git(root, 'config', 'gpg.program', script);
      },
      ['commit', '--allow-empty', '-m', 'signed'],
    ],
  ];

  it.each(TRICKS)('runs nothing of its own: %s', async (_name, arm, control) => {
    const { root, branch } = branching(
      { 'a.txt': '1\n', 'd/b.txt': '1\n' },
      { 'a.txt': '2\n', 'd/b.txt': '2\n', 'c.txt': 'c\n' },
    );
    const folder = tempFolder();
    const [marker, script] = [path.join(folder, 'MARKER'), path.join(folder, 'evil')];
    writeFileSync(script, `#!/bin/sh\n: > ${marker}\nexec cat 2>/dev/null\n`);
    chmodSync(script, 0o755);
    arm(root, script);
    rmSync(marker, { force: true });
    const fired = (): boolean => Object.keys(listing(folder)).includes('MARKER');
    expect((await branch('agent')).conflicts).toEqual([]);
    expect(fired()).toBe(false);
    expect(git(root, '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', 'show', 'agent:a.txt')).toBe(
      '2\n',
    );
    rmSync(marker, { force: true });
    writeFileSync(path.join(root, 'a.txt'), 'control\n');
    try {
      git(root, ...control);
    } catch {
      // What it planted may make git fail; only the marker counts.
    }
    expect(fired(), 'positive control: plain git runs it').toBe(true);
  });

  it('does not say where files are, nor which commits came before (GT6)', async () => {
    const { root, branch } = branching({ a: '1' }, { a: '2' });
    const victim = tempFolder();
    writeTree(victim, { a: 'victim' });
    const before = listing(victim);
    commit(root);
    const head = git(root, 'rev-parse', 'HEAD').trim();
    git(root, 'config', 'core.worktree', victim);
    writeFileSync(path.join(root, '.git/info/grafts'), `${head}\n`);
    await branch('agent');
    expect(listing(victim)).toEqual(before);
    expect(git(root, 'show', 'agent:a')).toBe('2');
    expect(git(root, 'rev-list', '--count', 'agent').trim(), 'positive control: a graft hides history').toBe('2');
    expect(git(root, 'status', '--porcelain').trim(), 'positive control: git looks elsewhere').toBe('M a');
    rmSync(path.join(root, '.git/info/grafts'));
    expect(git(root, 'rev-list', '--count', 'agent').trim()).toBe('3');
    expect(git(root, 'rev-parse', 'agent^').trim()).toBe(head);
  });

  it('may borrow its objects from another, to which nothing is written (D40, GT6)', async () => {
    const { root: source } = branching({ a: '1', b: '1' }, {});
    const clone = path.join(tempFolder(), 'clone');
    git(source, 'clone', '-q', '-s', source, clone);
    const before = listing(source);
    await ready(clone, { a: '1', b: '1' }, { a: '2', b: '1' }).branch('agent');
    expect(git(clone, 'show', 'agent:a')).toBe('2');
    expect(git(clone, 'show', 'agent:b')).toBe('1');
    expect(listing(source)).toEqual(before);
  });

  it.each(['../x', '.git/hooks/x', 'd/.GIT/config'])(
    'gets no %s, even if a change set names it (EX13)',
    async (name) => {
      const { root } = branching({ a: '1' }, {});
      const { branch, set } = ready(root, { a: '1' }, { a: '2', [name]: 'evil' });
      expect((await branch('agent')).conflicts).toMatchObject([{ path: name }]);
      expect(git(root, 'branch', '--list', 'agent')).toBe('');
      expect((await branch('agent', { picked: set.changes.filter((one) => one.path === 'a') })).conflicts).toEqual([]);
    },
  );

  it('is not asked for replaced objects (GT6)', async () => {
    const { root, branch } = branching({ a: '1', b: 'b' }, { a: '2', b: 'b' });
    writeFileSync(path.join(root, 'b'), 'replaced');
    const other = git(root, 'hash-object', '-w', 'b').trim();
    const head = git(root, 'rev-parse', 'HEAD').trim();
    const tree = git(root, 'mktree', '--missing').trim();
    git(root, 'replace', git(root, 'rev-parse', 'HEAD^{tree}').trim(), tree);
    expect(other).toHaveLength(40);
    await branch('agent');
    expect(git(root, '--no-replace-objects', 'ls-tree', '--name-only', 'agent')).toBe('a\nb\n');
    expect(git(root, 'rev-parse', 'agent^').trim()).toBe(head);
  });
});

function hook(root: string, script: string, folder: string, name: string): void {
  mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, folder, name), `#!/bin/sh\nexec ${script}\n`);
  chmodSync(path.join(root, folder, name), 0o755);
}

function filter(root: string, kind: string, script: string): void {
  writeFileSync(path.join(root, '.git/info/attributes'), '*.txt filter=evil\n');
  git(root, 'config', `filter.evil.${kind}`, script);
}
