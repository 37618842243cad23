import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { branching, commit, ready } from '../support/branching.ts';
import { type Tree, writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { listing } from '../support/listing.ts';
import { git } from '../workspace/support.ts';

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

  it.each<[string, Tree[string]]>([
    ['../x', 'evil'],
    ['.git/hooks/x', 'evil'],
    ['d/.GIT/config', 'evil'],
    ['l', { link: '/etc/passwd' }],
    ['d/l', { link: '../../x' }],
  ])('gets no %s %j, even if a change set names it (EX13)', async (name, node) => {
    const { root } = branching({ a: '1' }, {});
    const { branch, set } = ready(root, { a: '1' }, { a: '2', [name]: node });
    expect((await branch('agent')).conflicts).toEqual([{ path: name, why: expect.stringContaining('is never') }]);
    expect(git(root, 'branch', '--list', 'agent')).toBe('');
    expect((await branch('agent', { picked: set.changes.filter((one) => one.path === 'a') })).conflicts).toEqual([]);
  });

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
