import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isIndex, sharedIndexId } from '../../src/workspace/index-file.ts';
import { MAX_INDEX_BYTES } from '../../src/workspace/limits.ts';
import { makeScratchGit, type ScratchTrees } from '../../src/workspace/scratch-git.ts';
import { git, newRepository, paths, select, temporaryFolder, write } from './support.ts';

const NAMES = ['a', 'linked/name', 'b'.repeat(200), 'é link.c'];

/** A repository with a tracked and ignored file and a split index. */
function splitRepository(format: 'sha1' | 'sha256', version: string): { root: string; shared: string } {
  const root = temporaryFolder();
  git(root, 'init', '-q', `--object-format=${format}`);
  write(root, { '.gitignore': '*.o\n', 'tracked.o': '', ...Object.fromEntries(NAMES.map((name) => [name, ''])) });
  git(root, 'add', '-f', '.');
  git(root, 'update-index', '--index-version', version);
  git(root, 'update-index', '--split-index');
  write(root, { 'own.c': '' });
  git(root, 'add', '-N', 'own.c');
  const shared = readdirSync(join(root, '.git')).find((name) => name.startsWith('sharedindex.')) ?? '';
  return { root, shared };
}

function treesOf(root: string): ScratchTrees {
  const own = Buffer.from(join(root, '.git'));
  return { workTree: Buffer.from(root), listed: Buffer.from(root), git: { own, common: own } };
}

describe('the shared part of a split index', () => {
  test.each([
    ['sha1', '2'],
    ['sha1', '3'],
    ['sha1', '4'],
    ['sha256', '2'],
    ['sha256', '4'],
  ] as const)('is found in an index of %s and version %s', (format, version) => {
    const { root, shared } = splitRepository(format, version);
    const index = readFileSync(join(root, '.git/index'));
    expect(shared).not.toBe('');
    const idBytes = format === 'sha1' ? 20 : 32;
    expect(`sharedindex.${sharedIndexId(index, idBytes)}`).toBe(shared);
    const whole = readFileSync(join(root, '.git', shared));
    expect(sharedIndexId(whole, idBytes)).toBeUndefined();
    for (let length = 0; length < index.length; length += 1) sharedIndexId(index.subarray(0, length), idBytes);
  });

  test('is the only one that is copied, whatever else the index names', async () => {
    const { root, shared } = splitRepository('sha1', '2');
    const index = join(root, '.git/index');
    const others = Array.from({ length: 5 }, (_, at) => Buffer.alloc(20, at + 1));
    writeFileSync(index, Buffer.concat([readFileSync(index), ...others]));
    for (const id of others)
      copyFileSync(join(root, '.git', shared), join(root, `.git/sharedindex.${id.toString('hex')}`));
    const { gitDir } = await makeScratchGit(temporaryFolder(), treesOf(root), { bytes: MAX_INDEX_BYTES });
    expect(readdirSync(gitDir).filter((name) => name.startsWith('sharedindex.'))).toEqual([shared]);
  });
});

test('the indexes of several repositories together take no more than the budget', async () => {
  const budget = { bytes: 100_000 };
  const results = [];
  for (let at = 0; at < 8; at += 1) {
    const root = newRepository();
    write(root, { '.git/index': 'DIRC' });
    truncateSync(join(root, '.git/index'), 30_000);
    results.push(await makeScratchGit(temporaryFolder(), treesOf(root), budget));
  }
  const copied = results.filter(({ gitDir }) => readdirSync(gitDir).includes('index'));
  expect(copied).toHaveLength(3);
  expect(results.filter(({ hasIndex }) => hasIndex)).toEqual(copied);
  expect(results.filter(({ indexProblem }) => indexProblem?.includes('all indexes together'))).toHaveLength(5);
  expect(budget.bytes).toBe(10_000);
});

test('an index that is too large is not copied, and that is said', async () => {
  const root = newRepository({
    '.gitignore': '*.o\n',
    'r/.git/HEAD': 'ref: refs/heads/main\n',
    'r/.git/index': 'DIRC',
  });
  truncateSync(join(root, 'r/.git/index'), MAX_INDEX_BYTES + 1);
  expect((await select(root)).notices.join()).toContain('The index of r is not used (it cannot be read, or all');
});

test('what does not begin like an index is not copied, and that is said', async () => {
  const root = newRepository({ '.gitignore': '*.o\n', 'tracked.o': '', 'a.c': '' });
  git(root, 'add', '-f', '.');
  expect(paths(await select(root), ['file'])).toContain('tracked.o');
  truncateSync(join(root, '.git/index'), 0);
  truncateSync(join(root, '.git/index'), 1 << 20);
  expect(isIndex(readFileSync(join(root, '.git/index')))).toBe(false);
  const selection = await select(root);
  expect(paths(selection, ['file'])).toEqual(['.gitignore', 'a.c']);
  expect(selection.notices.join()).toContain('The index of the repository is not used (it does not begin like one)');
  expect(selection.vcs).toBe('git');
});
