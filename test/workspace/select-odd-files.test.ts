import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newRepository, paths, select, temporaryFolder, write } from './support.ts';

const NO_GIT = { gitPath: '/nonexistent/git' };

describe('odd things in the tree', () => {
  test('a FIFO, a socket and a device are left out by name and never opened (D42)', async () => {
    const root = newRepository({ a: '', z: '' });
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const server = createServer().listen(join(root, 'sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    const device = process.getuid?.() === 0;
    if (device) execFileSync('mknod', [join(root, 'null'), 'c', '1', '3']);
    const selection = await select(root);
    server.close();
    expect(paths(selection)).toEqual(['a', 'z']);
    expect(selection.leftOut.list).toContainEqual({ path: 'pipe', reason: 'fifo' });
    expect(selection.leftOut.list).toContainEqual({ path: 'sock', reason: 'socket' });
    if (device) expect(selection.leftOut.list).toContainEqual({ path: 'null', reason: 'device' });
  });

  test('another file system mounted in the tree stays out by name, unless asked for', async () => {
    // Every Linux has devices, and other file systems mounted, in /dev; nothing there is opened.
    const selection = await select('/dev');
    expect(selection.leftOut.list).toContainEqual({ path: 'pts/', reason: 'mount' });
    expect(selection.leftOut.counts.device).toBeGreaterThan(3);
    expect(paths(selection)).not.toContain('pts/');
    expect(paths(await select('/dev', { include: ['pts'] }))).toContain('pts/');
  });

  test('links stay links and loops end (D44, D46)', async () => {
    const root = newRepository({ 'node_modules/x': '' });
    const targets = { loop: '.', a: 'b', b: 'a', 'node_modules/self': '..', secret: '/etc/shadow', home: '/root' };
    for (const [name, target] of Object.entries(targets)) symlinkSync(target, join(root, name));
    const selection = await select(root);
    expect(paths(selection, ['symlink']).sort()).toEqual(Object.keys(targets).sort());
    for (const { path, type, target } of selection.entries) {
      if (type === 'symlink') expect(target?.toString()).toBe(targets[path.toString() as keyof typeof targets]);
    }
  });

  test('names that are not UTF-8 keep their bytes, also as ignore rules and folders (D45)', async () => {
    const root = newRepository();
    const bytes = (name: string) => Buffer.from(join(root, name), 'latin1');
    writeFileSync(bytes('.gitignore'), Buffer.from('ig\xe9\n', 'latin1'));
    mkdirSync(bytes('d\xff'));
    for (const name of ['caf\xe9.txt', 'd\xff/new\nline', 'ig\xe9', 'back\\slash']) writeFileSync(bytes(name), 'x');
    for (const env of [{}, NO_GIT]) {
      const selection = await select(root, { env });
      expect(paths(selection)).toEqual(['.gitignore', 'back\\slash', 'caf\xe9.txt', 'd\xff/', 'd\xff/new\nline']);
      expect(selection.leftOut.list).toContainEqual({ path: 'ig\\xe9', reason: 'ignored' });
    }
  });

  test('a folder that may not be read is left out by name', async () => {
    const root = newRepository({ 'open/x': '', 'shut/x': '' });
    const scratchRoot = temporaryFolder();
    chmodSync(join(root, 'shut'), 0);
    const asOther = process.getuid?.() === 0;
    for (const folder of asOther ? [root, scratchRoot] : []) chmodSync(folder, 0o777);
    if (asOther) process.seteuid?.(65_534);
    try {
      const selection = await select(root, { scratchRoot });
      expect(paths(selection)).toEqual(['open/', 'open/x']);
      expect(selection.leftOut.list).toContainEqual({ path: 'shut/', reason: 'unreadable' });
    } finally {
      if (asOther) process.seteuid?.(0);
      chmodSync(join(root, 'shut'), 0o700);
    }
  });

  test('names that clash on other disks get one notice', async () => {
    const root = newRepository({ 'x/README.md': '1', 'x/readme.md': '2', 'caf\u00e9': '', 'cafe\u0301': '' });
    const { notices } = await select(root);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('x/README.md and x/readme.md');
    expect(notices[0]).toContain('cafe\u0301 and caf\u00e9');
  });

  test('a FIFO that git would open and wait at costs seconds, not the run, and is named (D42)', async () => {
    const root = newRepository({ 'a/x': '', 'b.o': '', '.gitignore': '*.o\n' });
    execFileSync('mkfifo', [join(root, 'a/.gitignore')]);
    const start = performance.now();
    const selection = await select(root);
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(paths(selection)).toEqual(['.gitignore', 'a/', 'a/x']);
    expect(selection.notices[0]).toContain('would wait for ever at the FIFO a/.gitignore');
    expect(selection.leftOut.list).toContainEqual({ path: 'a/.gitignore', reason: 'fifo' });
  });

  test('a rule file that is a FIFO, a link or a folder does not hold or mislead us', async () => {
    const root = temporaryFolder();
    write(root, { 'a/x': '', 'b/x': '', 'c/.gitignore/y': '' });
    execFileSync('mkfifo', [join(root, 'a/.gitignore')]);
    write(root, { rules: 'x\n' });
    symlinkSync('../rules', join(root, 'b/.gitignore'));
    const selection = await select(root, { env: NO_GIT });
    expect(paths(selection, ['file', 'symlink'])).toEqual(['a/x', 'b/.gitignore', 'b/x', 'c/.gitignore/y', 'rules']);
  });
});
