import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { listing } from '../support/listing.ts';
import { RUN, runWithChanges } from '../support/run-with-changes.ts';
import { git } from '../workspace/support.ts';

function commitAll(repo: string): void {
  git(repo, 'init', '-q', '-b', 'main');
  git(repo, 'add', '-A');
  git(repo, 'commit', '-q', '-m', 'state');
}

/** Everything that git keeps, and its own words about the files that `apply` does not touch. */
function gitFolder(repo: string): Record<string, string> {
  return listing(path.join(repo, '.git'));
}

describe('apply in a git repository', () => {
  test('works on a dirty tree and touches nothing in .git (D59)', async () => {
    // What was sent in is the dirty state: staged, unstaged, new and removed files.
    const from = { both: 'staged and edited\n', added: 'new\n', untouched: 'x' };
    const { run, repo } = runWithChanges(from, { ...from, both: 'agent\n', n: 'n' });
    writeTree(repo, { both: 'committed\n', removed: 'r', untouched: 'x' });
    commitAll(repo);
    writeFileSync(path.join(repo, 'both'), 'staged\n');
    git(repo, 'add', 'both');
    git(repo, 'rm', '-q', 'removed');
    writeFileSync(path.join(repo, 'both'), from.both);
    const before = gitFolder(repo);
    expect(await run(['apply', RUN])).toMatchObject({ code: 0, stdout: 'both\nn\n' });
    expect(gitFolder(repo)).toEqual(before);
    expect(git(repo, 'diff', '--cached', '--name-status')).toBe('M\tboth\nD\tremoved\n');
    expect(readFileSync(path.join(repo, 'both'), 'utf8')).toBe('agent\n');
  });

  test('does not mind a lock of the index or an unfinished merge (D63)', async () => {
    const { run, repo } = runWithChanges({ a: '1', b: '1' }, { a: '2', b: '1' });
    commitAll(repo);
    git(repo, 'checkout', '-q', '-b', 'other');
    writeFileSync(path.join(repo, 'b'), 'other');
    git(repo, 'commit', '-qam', 'other');
    git(repo, 'checkout', '-q', 'main');
    writeFileSync(path.join(repo, 'b'), 'main');
    git(repo, 'commit', '-qam', 'main');
    expect(() => git(repo, 'merge', 'other')).toThrow();
    writeFileSync(path.join(repo, '.git/index.lock'), '');
    const before = gitFolder(repo);
    expect(await run(['apply', RUN])).toMatchObject({ code: 0, stdout: 'a\n' });
    expect(gitFolder(repo)).toEqual(before);
    expect(existsSync(path.join(repo, '.git/MERGE_HEAD'))).toBe(true);
  });

  test('writes into a linked worktree and not into the main one (D36)', async () => {
    const main = tempFolder();
    writeTree(main, { a: '1' });
    commitAll(main);
    const repo = path.join(tempFolder(), 'wt');
    git(main, 'worktree', 'add', '-q', repo, '-b', 'w');
    const { run } = runWithChanges({ a: '1' }, { a: '2', 'd/n': 'n' }, { repo });
    const before = listing(main);
    expect(await run(['apply', RUN], { cwd: repo })).toMatchObject({ code: 0 });
    expect(git(repo, 'status', '--porcelain', '-uall')).toBe(' M a\n?? d/n\n');
    expect(Object.entries(listing(main)).filter(([name]) => !name.startsWith('.git/'))).toEqual(
      Object.entries(before).filter(([name]) => !name.startsWith('.git/')),
    );
  });

  test('never writes into a repository that has another name, whatever was sent in (EX10, EX13)', async () => {
    const at = { 'store/hooks/x': 'x', 'store/refs/heads/x': 'x', 'b.git/hooks/x': 'x', 'b.git/Config.worktree': 'x' };
    const to = { a: '2', ...at, 'sub/b.git/info/x': 'x' };
    const { run, repo, tree } = runWithChanges({ a: '1' }, to);
    git(repo, 'init', '-q', `--separate-git-dir=${repo}/store`);
    git(repo, 'init', '-q', '--bare', 'b.git');
    git(repo, 'init', '-q', '--bare', 'sub/b.git');
    const before = tree();
    const refused = await run(['apply', RUN]);
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    for (const [name, folder] of Object.entries({
      'store/hooks/x': 'store',
      'store/refs/heads/x': 'store',
      'b.git/hooks/x': 'b.git',
      'b.git/Config.worktree': 'b.git',
      'sub/b.git/info/x': 'sub/b.git',
    })) {
      expect(refused.stderr).toContain(`${name} is never written to: git keeps a repository in ${folder}`);
    }
    expect(tree()).toEqual(before);
    expect(await run(['apply', RUN, 'a']), 'control').toMatchObject({ code: 0, stdout: 'a\n' });
    // Without a repository there, the same paths are plain ones.
    const other = tempFolder();
    writeTree(other, { a: '1' });
    expect(await run(['apply', RUN, '--to', other])).toMatchObject({ code: 0 });
    expect(existsSync(path.join(other, 'b.git/hooks/x'))).toBe(true);
  });

  test('--to is no bare repository, but may be a worktree in one (D36)', async () => {
    const { run, repo } = runWithChanges({ a: '1' }, { a: '1', 'hooks/x': { run: 'x' } });
    commitAll(repo);
    const bare = path.join(tempFolder(), 'bare');
    git(repo, 'clone', '-q', '--bare', repo, bare);
    git(bare, 'worktree', 'add', '-q', 'wt');
    for (const to of [bare, `${bare}/hooks`, `${bare}/worktrees/wt`]) {
      const refused = await run(['apply', RUN, '--to', to]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('it is where git keeps a repository') });
      expect(existsSync(path.join(to, 'hooks/x'))).toBe(false);
    }
    expect(await run(['apply', RUN, '--to', `${bare}/wt`])).toMatchObject({ code: 0 });
    expect(existsSync(path.join(bare, 'wt/hooks/x'))).toBe(true);
  });

  test('writes into submodules and repositories inside, and not into their git folders (D37, D38)', async () => {
    const from = { 'services/a/main.c': '1' };
    const { run, repo } = runWithChanges(from, { 'services/a/main.c': '2', 'lib/x/n.c': 'n', 'services/a/n.c': 'n' });
    const library = tempFolder();
    writeTree(library, { 'code.c': '1' });
    commitAll(library);
    commitAll(path.join(repo, 'services/a'));
    git(repo, 'init', '-q', '-b', 'main');
    git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib/x');
    const kept = [path.join(repo, '.git'), path.join(repo, 'services/a/.git')];
    const before = kept.map((folder) => listing(folder));
    expect(await run(['apply', RUN])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('lib/x/n.c\nservices/a/main.c\nservices/a/n.c\n'),
    });
    expect(kept.map((folder) => listing(folder))).toEqual(before);
    expect(git(path.join(repo, 'services/a'), 'status', '--porcelain')).toBe(' M main.c\n?? n.c\n');
    expect(git(path.join(repo, 'lib/x'), 'status', '--porcelain')).toBe('?? n.c\n');
  });

  test('--branch commits, says where, and leaves the files alone', async () => {
    const { run, repo, folder, set } = runWithChanges({ a: '1' }, { a: '2', 'd/n': 'n' });
    commitAll(repo);
    const checked = await run(['apply', RUN, '--branch', 'agent', '--check']);
    expect(checked).toMatchObject({ code: 0, stdout: 'a\nd/n\n' });
    expect(git(repo, 'branch', '--list', 'agent')).toBe('');
    const made = await run(['apply', RUN, '--branch', 'agent']);
    expect(made).toMatchObject({ code: 0, stdout: git(repo, 'rev-parse', 'agent') });
    expect(git(repo, 'status', '--porcelain')).toBe('');
    expect(JSON.parse(readFileSync(path.join(folder, 'changes-state.json'), 'utf8'))).toMatchObject({
      state: 'applied',
      branch: 'agent',
      target: repo,
      digest: set.digest,
    });
    expect(await run(['apply', RUN, '--branch', 'agent'])).toMatchObject({ code: 6 });
    expect(await run(['apply', RUN, '--branch', 'x', '--to', repo])).toMatchObject({ code: 2 });
  });

  test('--branch and a patch do not mind the environment of git that they are called with (D55, GT1)', async () => {
    const { run, repo } = runWithChanges({ a: '1' }, { a: '2' });
    commitAll(repo);
    const other = tempFolder();
    writeTree(other, { b: '1' });
    commitAll(other);
    const hooks = path.join(tempFolder(), 'hooks');
    writeTree(hooks, { 'reference-transaction': { run: `#!/bin/sh\n: > ${hooks}/MARKER\n` } });
    const env = {
      GIT_DIR: path.join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: path.join(other, '.git/index'),
      GIT_OBJECT_DIRECTORY: path.join(other, '.git/objects'),
      GIT_NAMESPACE: 'elsewhere',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
      GIT_CONFIG_VALUE_0: hooks,
      GIT_AUTHOR_NAME: 'somebody else',
    };
    const before = listing(other);
    const { code, stdout, stderr } = await run(['apply', RUN, '--branch', 'agent'], { env, cwd: repo });
    expect(code, stderr).toBe(0);
    expect(git(repo, 'rev-parse', 'agent')).toBe(stdout);
    expect(git(repo, 'log', '-1', '--format=%an', 'agent')).not.toContain('somebody');
    expect((await run(['diff', RUN, '--patch'], { env, cwd: repo })).stdout).toContain('+2');
    expect(listing(other)).toEqual(before);
    expect(existsSync(path.join(hooks, 'MARKER'))).toBe(false);
    execFileSync('git', ['branch', 'control'], { env: { ...process.env, ...env }, cwd: repo });
    expect(listing(other), 'positive control: plain git writes there').not.toEqual(before);
    expect(existsSync(path.join(hooks, 'MARKER')), 'positive control: and runs the hook').toBe(true);
  });

  test('--branch needs the same consent, and lists what HEAD does not have (D59, D61)', async () => {
    const risks = { '.envrc': [{ class: 'shell-start-up' as const, what: 'runs in a shell' }] };
    const { run, repo } = runWithChanges({ a: '1' }, { a: '2', '.envrc': 'x' }, { risks });
    commitAll(repo);
    const refused = await run(['apply', RUN, '--branch', 'agent']);
    expect(refused).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`pi-sandbox apply ${RUN} --branch agent --allow-risk shell-start-up`),
    });
    writeFileSync(path.join(repo, 'a'), 'other');
    git(repo, 'commit', '-qam', 'other');
    const conflict = await run(['apply', RUN, '--branch', 'agent', '--allow-risk', 'shell-start-up']);
    expect(conflict).toMatchObject({ code: 6, stderr: expect.stringContaining('a is not as in HEAD') });
    expect(git(repo, 'branch', '--list', 'agent')).toBe('');
  });
});
