import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitAll, git, newRepository, paths, select, temporaryFolder, write } from './support.ts';

const NO_GIT = { gitPath: '/nonexistent/git' };

describe('what enters', () => {
  test('tracked files, untracked files and tracked files that are ignored enter; ignored ones do not', async () => {
    const root = newRepository({ '.gitignore': '*.log\nbuild/\n', 'a.c': 'a', 'kept.log': 'k' });
    git(root, 'add', '-f', 'kept.log', 'a.c', '.gitignore');
    write(root, { 'new.c': 'n', 'x.log': 'x', 'build/out': 'o', 'sub/y.log': 'y', 'sub/z': 'z' });
    const selection = await select(root);
    expect(paths(selection)).toEqual(['.gitignore', 'a.c', 'kept.log', 'new.c', 'sub/', 'sub/z']);
    expect(selection.vcs).toBe('git');
    expect(selection.files).toBe(5);
    expect(selection.bytes).toBe(13 + 1 + 1 + 1 + 1);
    expect(selection.leftOut.counts).toEqual({ ignored: 3, 'git-metadata': 1 });
    expect(selection.leftOut.list).toContainEqual({ path: 'build/', reason: 'ignored' });
    expect(selection.notices).toEqual([]);
  });

  test('ignored secrets stay out and are named before other ignored files (D48)', async () => {
    const noise = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`o/${n}.o`, '']));
    const root = newRepository({ '.gitignore': '*.o\n.env\n*.pem\n.npmrc\n', 'o/keep.c': '', ...noise });
    write(root, { '.env': 'CANARY', 'z/key.pem': 'CANARY', 'z/.npmrc': 'CANARY', 'z/a.c': '' });
    const selection = await select(root);
    expect(paths(selection, ['file'])).toEqual(['.gitignore', 'o/keep.c', 'z/a.c']);
    expect(selection.leftOut.counts.ignored).toBe(303);
    const named = selection.leftOut.list.filter(({ reason }) => reason === 'ignored').map(({ path }) => path);
    expect(named.slice(0, 3)).toEqual(['.env', 'z/.npmrc', 'z/key.pem']);
    expect(named).toHaveLength(50);
  });

  test('.git, .pi and .agents never enter, whatever --include says (D12)', async () => {
    const files = { '.pi/extensions/x.ts': '', '.agents/skills/s.md': '', 'AGENTS.md': 'be nice', 'a/.pi/inner': '' };
    const root = newRepository(files);
    commitAll(root);
    const selection = await select(root, { include: ['.git', '.pi', '.agents', '.git/**', '.pi/**'] });
    expect(paths(selection)).toEqual(['AGENTS.md', 'a/', 'a/.pi/', 'a/.pi/inner']);
    expect(selection.leftOut.counts).toMatchObject({ 'git-metadata': 1, 'project-files': 2 });
    expect(selection.leftOut.list).toContainEqual({ path: '.pi/', reason: 'project-files' });
  });

  test('where project files stay out, instructions at the root do too', async () => {
    const root = newRepository({
      'AGENTS.md': '',
      'AGENTS.override.md': '',
      'claude.md': '',
      'sub/AGENTS.md': '',
      'README.md': '',
    });
    const selection = await select(root, { contextFiles: false });
    expect(paths(selection, ['file'])).toEqual(['README.md', 'sub/AGENTS.md']);
    expect(selection.leftOut.counts['context-files']).toBe(3);
    expect(selection.contextFiles.map(({ enters }) => enters)).toEqual([false, false, false]);
  });

  test('a folder without a repository follows its .gitignore files', async () => {
    const root = temporaryFolder();
    write(root, {
      '.gitignore': '*.o\n',
      'a.o': '',
      'a.c': '',
      'sub/.gitignore': '!keep.o\n',
      'sub/keep.o': '',
      'sub/x.o': '',
    });
    for (const env of [{}, NO_GIT]) {
      expect(paths(await select(root, { env }), ['file'])).toEqual([
        '.gitignore',
        'a.c',
        'sub/.gitignore',
        'sub/keep.o',
      ]);
    }
  });

  test('a folder inside a repository follows the rules of the whole repository', async () => {
    const top = newRepository({
      '.gitignore': '.env\n/packages/a/out\n',
      'packages/a/.env': 'CANARY',
      'packages/a/out': '',
      'packages/a/x': '',
    });
    for (const env of [{}, NO_GIT]) {
      const selection = await select(join(top, 'packages/a'), { env });
      expect(paths(selection)).toEqual(['x']);
      expect(selection.leftOut.counts.ignored).toBe(2);
    }
  });

  test('a folder that the repository above ignores as a whole still enters', async () => {
    const top = newRepository({
      '.gitignore': 'vendor/\n',
      'vendor/x/.gitignore': '*.o\n',
      'vendor/x/a.o': '',
      'vendor/x/a.c': '',
    });
    for (const env of [{}, NO_GIT]) {
      expect(paths(await select(join(top, 'vendor/x'), { env }))).toEqual(['.gitignore', 'a.c']);
    }
  });

  test('an empty repository is an empty selection', async () => {
    const selection = await select(newRepository());
    expect(selection).toMatchObject({ entries: [], files: 0, bytes: 0 });
  });
});

describe('--include and --exclude', () => {
  const files = {
    '.gitignore': 'node_modules/\n.env\ndist/\n',
    '.env': 'e',
    'node_modules/a/index.js': '',
    'node_modules/a/.env': '',
    'node_modules/b/x.js': '',
    'dist/lib/x.js': '',
    'dist/lib/y.txt': '',
    'src/x.js': '',
  };

  test('--include brings ignored paths back, as a folder with all that is in it', async () => {
    const root = newRepository(files);
    const selection = await select(root, { include: ['node_modules'] });
    expect(paths(selection, ['file'])).toEqual([
      '.gitignore',
      'node_modules/a/.env',
      'node_modules/a/index.js',
      'node_modules/b/x.js',
      'src/x.js',
    ]);
    expect(selection.leftOut.counts.ignored).toBe(2);
  });

  test('--include with a path reaches into an ignored folder and brings no more than asked for', async () => {
    const root = newRepository(files);
    const selection = await select(root, { include: ['dist/*/*.js', '.env', 'node_modules/zzz/*'] });
    expect(paths(selection)).toEqual(['.env', '.gitignore', 'dist/', 'dist/lib/', 'dist/lib/x.js', 'src/', 'src/x.js']);
    expect(selection.notices).toEqual(['--include node_modules/zzz/* matched nothing that was left out.']);
  });

  test('--exclude is stronger than --include and than tracking', async () => {
    const root = newRepository(files);
    commitAll(root);
    const selection = await select(root, { include: ['node_modules'], exclude: ['node_modules/a', '*.js', 'nothing'] });
    expect(paths(selection)).toEqual(['.gitignore', 'node_modules/', 'node_modules/b/', 'src/']);
    expect(selection.leftOut.counts.excluded).toBe(3);
    expect(selection.notices).toEqual(['--exclude nothing matched nothing.']);
  });

  test('patterns match names byte by byte', async () => {
    const root = newRepository({ '.gitignore': '*\n' });
    for (const name of ['caf\xe9', 'caf\xe8']) writeFileSync(Buffer.from(join(root, name), 'latin1'), '');
    write(root, { 'grün.txt': '', 'grau.txt': '' });
    const selection = await select(root, { include: ['grün*', 'caf?'] });
    expect(paths(selection)).toEqual(['caf\xe8', 'caf\xe9', Buffer.from('grün.txt').toString('latin1')]);
  });
});

describe('order, progress, limits', () => {
  test('two selections of the same tree are the same, sorted by bytes, parents first', async () => {
    const root = newRepository({ 'b/x': '', 'b-/x': '', 'B/x': '', b1: '', ä: '' });
    const one = await select(root);
    expect(paths(one)).toEqual(['B/', 'B/x', 'b/', 'b/x', 'b-/', 'b-/x', 'b1', 'Ã¤']);
    expect(await select(root)).toEqual(one);
  });

  test('modes are permission bits only', async () => {
    const root = newRepository({ tool: '' });
    chmodSync(join(root, 'tool'), 0o4755);
    expect((await select(root)).entries[0]?.mode).toBe(0o755);
  });

  test('a tree that nests too deep is refused with a limit and a hint', async () => {
    const root = newRepository();
    mkdirSync(join(root, ...Array.from({ length: 205 }, () => 'd')), { recursive: true });
    await expect(select(root, { env: NO_GIT })).rejects.toMatchObject({
      code: 'repository',
      message: expect.stringContaining('deeper than 200'),
      hint: expect.stringContaining('--exclude'),
    });
  });

  test('an interrupted selection stops with the reason and leaves no scratch folder', async () => {
    const scratchRoot = temporaryFolder();
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`d${n % 50}/${n}`, '']));
    const root = newRepository(many);
    const controller = new AbortController();
    const reason = new Error('stop');
    const onProgress = () => controller.abort(reason);
    await expect(select(root, { scratchRoot, signal: controller.signal, onProgress })).rejects.toBe(reason);
    expect(readdirSync(scratchRoot)).toEqual([]);
    await select(root, { scratchRoot });
    expect(readdirSync(scratchRoot)).toEqual([]);
  });

  test('nothing in the repository is written', async () => {
    const root = newRepository({ a: '' });
    commitAll(root);
    const before = statSync(join(root, '.git/index'));
    await select(root);
    expect(statSync(join(root, '.git/index')).mtimeMs).toBe(before.mtimeMs);
    expect(readdirSync(realpathSync(root)).sort()).toEqual(['.git', 'a']);
    expect(git(root, 'status', '--porcelain')).toBe('');
  });
});
