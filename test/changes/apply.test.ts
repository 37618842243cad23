import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { applying } from '../support/applying.ts';
import { END, START } from '../support/change-samples.ts';
import { changeSet, type Tree, writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { listing } from '../support/listing.ts';

/** What a folder with this tree looks like. */
function looks(tree: Tree): Record<string, string> {
  const folder = tempFolder();
  writeTree(folder, tree);
  return listing(folder);
}

describe('apply', () => {
  it('makes the tree what the agent left, and leaves nothing else behind', async () => {
    const { apply, tree, runFolder } = applying(START, END);
    const { conflicts, written } = await apply();
    expect(conflicts).toEqual([]);
    expect(written.length).toBeGreaterThan(10);
    expect(tree()).toEqual(looks(END));
    expect(existsSync(path.join(runFolder, 'apply.journal'))).toBe(false);
  });

  it('finds everything done the second time', async () => {
    const { apply, set } = applying(START, END);
    await apply();
    expect(await apply()).toMatchObject({ conflicts: [], written: [], done: set.changes.map((one) => one.path) });
  });

  it('leaves what is not in the set as it is, ignored files in a removed folder too', async () => {
    const { apply, root } = applying({ 'd/a': 'a', b: 'b' }, { b: 'c' });
    writeTree(root, { 'd/ignored.log': 'mine' });
    const { notes } = await apply();
    expect(notes).toEqual(['d stays: it holds 1 files that were not sent in.']);
    expect(listing(root)).toEqual(looks({ b: 'c', 'd/ignored.log': 'mine' }));
  });

  it('keeps carriage returns, byte order marks and stray bytes as they are', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xff, 0x00, 0x0d]);
    const { apply, root } = applying({ a: 'x\r\n' }, { a: bytes, b: bytes });
    await apply();
    expect(readFileSync(path.join(root, 'a'))).toEqual(bytes);
    expect(readFileSync(path.join(root, 'b'))).toEqual(bytes);
  });
});

describe('a change set that was made up', () => {
  const CASES: [string, Tree, Tree, string][] = [
    ['a path that leads out (EX1, EX13)', {}, { '../x': 'x' }, 'no plain path'],
    ['a path that leads out further in (EX1, EX13)', {}, { 'd/../../x': 'x' }, 'no plain path'],
    ['an absolute path (EX1, EX13)', {}, { '/x': 'x' }, 'no plain path'],
    ['a hook of git (EX10, EX13)', {}, { '.git/hooks/pre-commit': { run: 'x' } }, 'Only git itself writes here'],
    ['a nested and disguised .git (EX9, EX10)', {}, { 'sub/.GIT ./config': 'x' }, 'Only git itself writes here'],
    ['a link to an absolute path (EX13)', {}, { data: { link: '/etc/passwd' } }, 'its target is absolute'],
    ['a link that leads out (EX2)', {}, { 'd/data': { link: '../../x' } }, 'it leads out of the folder'],
    ['a link into git metadata', {}, { data: { link: '.git/config' } }, 'git metadata'],
    ['a file behind a link of the target (EX2, EX13)', {}, { 'outside/x': 'x' }, 'outside is a symbolic link'],
    ['a removal behind a link of the target (EX2)', { 'outside/kept': 'x' }, {}, 'outside is a symbolic link'],
  ];
  it.each(CASES)('writes nothing for %s', async (_name, from, to, why) => {
    const victim = tempFolder();
    writeTree(victim, { kept: 'x' });
    const { root, tree, task, apply } = applying({ a: '1' }, { a: '1' });
    symlinkSync(victim, path.join(root, 'outside'));
    mkdirSync(path.join(root, '.git/hooks'), { recursive: true });
    const before = tree();
    const { set, store } = changeSet(from, { ...to, fine: 'x' });
    const { conflicts, written } = await apply({ ...task, set, store, picked: set.changes });
    expect(conflicts.map((one) => one.why).join()).toContain(why);
    expect(written).toEqual([]);
    expect(tree()).toEqual(before);
    expect(listing(victim)).toEqual(looks({ kept: 'x' }));
    expect(existsSync(path.join(path.dirname(root), 'x'))).toBe(false);
    // The control: what stands beside it can be written.
    const picked = set.changes.filter((one) => one.path === 'fine');
    expect(await apply({ ...task, set, store, picked })).toMatchObject({ conflicts: [], written: ['fine'] });
  });
});

describe('rights', () => {
  it('of a replaced file stay, and a new file is like others, also at an odd umask (D64)', async () => {
    const { apply, root } = applying({ a: '1', b: '1' }, { a: '2', b: { run: '2' }, n: 'n', 'd/x': { run: 'x' } });
    for (const [name, mode] of [
      ['a', 0o640],
      ['b', 0o660],
    ] as const)
      chmodSync(path.join(root, name), mode);
    await apply({ umask: 0o027 });
    const modes = ['a', 'b', 'n', 'd', 'd/x'].map((name) =>
      (statSync(path.join(root, name)).mode & 0o7777).toString(8),
    );
    expect(modes).toEqual(['640', '770', '640', '750', '750']);
  });

  it('make no noise where all files are 0777 and the mode does not change (D64)', async () => {
    const { apply, root } = applying({ a: { run: '1' } }, { a: { run: '2' } });
    chmodSync(path.join(root, 'a'), 0o777);
    await apply();
    expect(statSync(path.join(root, 'a')).mode & 0o7777).toBe(0o777);
  });

  it('change alone where only the executable bit changed: same file, same time of change of the content (D64)', async () => {
    const { apply, root } = applying({ 'run.sh': 'x' }, { 'run.sh': { run: 'x' } });
    const before = statSync(path.join(root, 'run.sh'));
    await apply();
    const after = statSync(path.join(root, 'run.sh'));
    expect([after.ino, after.mtimeMs, after.mode & 0o777]).toEqual([before.ino, before.mtimeMs, 0o755]);
  });

  it.runIf(process.geteuid?.() === 0)('of an owner stay, and a new file gets the owner of its folder', async () => {
    const { apply, root } = applying({ a: '1', 'd/x': 'x' }, { a: '2', 'd/x': 'x', 'd/n': 'n', 'd/e/m': 'm' });
    chownSync(path.join(root, 'a'), 4242, 4243);
    chownSync(path.join(root, 'd'), 4244, 4245);
    await apply();
    const owners = ['a', 'd/n', 'd/e', 'd/e/m'].map((name) => {
      const { uid, gid } = lstatSync(path.join(root, name));
      return `${uid}:${gid}`;
    });
    expect(owners).toEqual(['4242:4243', '4244:4245', '4244:4245', '4244:4245']);
  });

  it('to run as somebody else do not survive a replaced content', async () => {
    const { apply, root } = applying({ a: { run: '1' } }, { a: { run: '2' } });
    chmodSync(path.join(root, 'a'), 0o4755);
    await apply();
    expect(statSync(path.join(root, 'a')).mode & 0o7777).toBe(0o755);
  });
});

describe('a conflict', () => {
  const CASES: [string, (root: string) => void, string, string][] = [
    [
      'a changed file (D63)',
      (root) => writeFileSync(path.join(root, 'a.txt'), 'mine\n'),
      'a.txt',
      'was changed since the start',
    ],
    ['a removed file', (root) => rmSync(path.join(root, 'a.txt')), 'a.txt', 'is no longer there'],
    [
      'a file where one was added',
      (root) => writeTree(root, { 'empty.txt': 'mine' }),
      'empty.txt',
      'was added in the sandbox',
    ],
    [
      'a changed file that would be removed',
      (root) => writeFileSync(path.join(root, 'gone/y'), 'mine'),
      'gone/y',
      'would be removed',
    ],
    [
      'a link in place of a file',
      (root) => {
        rmSync(path.join(root, 'a.txt'));
        symlinkSync('gone/y', path.join(root, 'a.txt'));
      },
      'a.txt',
      'was a file at the start and is a link now',
    ],
    [
      'a folder in place of a link',
      (root) => {
        rmSync(path.join(root, 'link'));
        writeTree(root, { link: { dir: true } });
      },
      'link',
      'was a link at the start and is a folder now',
    ],
    [
      'a link that leads elsewhere',
      (root) => {
        rmSync(path.join(root, 'link'));
        symlinkSync('/', path.join(root, 'link'));
      },
      'link',
      'was changed since',
    ],
    [
      'a file of the user in a folder that becomes a file',
      (root) => writeTree(root, { 'folder-to-file/mine': '' }),
      'folder-to-file',
      'not sent in',
    ],
  ];
  it.each(CASES)('is %s; nothing is written', async (_name, disturb, where, why) => {
    const { apply, root, tree, runFolder } = applying(START, END);
    disturb(root);
    const before = tree();
    const { conflicts, written } = await apply();
    expect(conflicts).toEqual([{ path: where, why: expect.stringContaining(why) }]);
    expect(written).toEqual([]);
    expect(tree()).toEqual(before);
    expect(existsSync(path.join(runFolder, 'apply.journal'))).toBe(false);
  });

  it('is each of several paths', async () => {
    const { apply, root } = applying(START, END);
    for (const name of ['a.txt', 'run.sh']) writeFileSync(path.join(root, name), 'mine');
    expect((await apply()).conflicts.map((one) => one.path)).toEqual(['a.txt', 'run.sh']);
  });

  it('is a name that the disk takes for another (D47)', async () => {
    // On a file system without case, the name of the added file leads to the file that is there.
    const { apply, root } = applying({ 'README.md': 'big' }, { 'README.md': 'big', 'readme.md': 'small' });
    writeTree(root, { 'readme.md': 'big' });
    expect((await apply()).conflicts).toMatchObject([{ path: 'readme.md' }]);
  });
});
