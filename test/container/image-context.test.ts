import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contextStream } from '../../src/container/image/context.ts';
import { nodeArch, stageContext } from '../../src/container/image/stage.ts';
import { removeUnread } from '../../src/container/image/unread-files.ts';
import { ownedFolder, sweepOwnedFolders } from '../../src/container/owned-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pi-sandbox-context-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function fill(root: string): Promise<void> {
  await mkdir(join(root, 'b/deep'), { recursive: true });
  await writeFile(join(root, 'b/deep/run.sh'), '#!/bin/sh\n');
  await chmod(join(root, 'b/deep/run.sh'), 0o777);
  await writeFile(join(root, 'a.txt'), 'a'.repeat(200_000));
  await symlink('b/deep/run.sh', join(root, 'link'));
}

describe('the build context', () => {
  const signal = new AbortController().signal;

  test('is root-owned, writable by nobody else, sorted, and the same bytes for the same files', async () => {
    await fill(folder);
    const first = await buffer(contextStream(folder, signal));
    await utimes(join(folder, 'a.txt'), 1, 1);
    expect((await buffer(contextStream(folder, signal))).equals(first)).toBe(true);

    const entries: unknown[] = [];
    const reader = extract();
    reader.end(first);
    for await (const entry of reader) {
      const { name, type, mode, uid, gid, size } = entry.header;
      entries.push([name, type, mode.toString(8), uid, gid, size]);
      entry.resume();
    }
    expect(entries).toEqual([
      ['a.txt', 'file', '644', 0, 0, 200_000],
      ['b', 'directory', '755', 0, 0, 0],
      ['b/deep', 'directory', '755', 0, 0, 0],
      ['b/deep/run.sh', 'file', '755', 0, 0, 10],
      ['link', 'symlink', '755', 0, 0, 0],
    ]);
  });

  test('an abort breaks the stream', async () => {
    await fill(folder);
    const controller = new AbortController();
    const stream = contextStream(folder, controller.signal);
    const read = buffer(stream);
    controller.abort(new Error('stopped by the user'));
    await expect(read).rejects.toThrow('stopped by the user');
  });

  test('a file that cannot be read breaks the stream', async () => {
    await expect(buffer(contextStream(join(folder, 'missing'), signal))).rejects.toThrow('ENOENT');
  });
});

describe('staging', () => {
  test('leaves out declarations and source maps, and nothing that a program reads', async () => {
    await mkdir(join(folder, 'a/map'), { recursive: true });
    const kept = ['index.js', 'data.json', 'map', 'source.ts', 'd.ts'];
    const left = ['index.d.ts', 'index.d.mts', 'index.d.cts', 'index.js.map', 'index.d.ts.map'];
    for (const name of [...kept, ...left]) await writeFile(join(folder, 'a/map', name), '');
    await symlink('index.js', join(folder, 'a/link.map'));
    await removeUnread(folder);
    expect((await readdir(join(folder, 'a/map'))).sort()).toEqual(kept.toSorted());
    expect(await readdir(join(folder, 'a'))).toContain('link.map');
  });

  const env = { PATH: '/nonexistent' };

  test('a failure leaves nothing behind and says what to install', async () => {
    const signal = new AbortController().signal;
    const staged = stageContext({ root: ROOT, parent: folder, arch: 'x64', env, signal });
    await expect(staged).rejects.toMatchObject({ code: 'image', hint: expect.stringContaining('npm') });
    expect(await readdir(folder)).toEqual([]);
  });

  test('an abort leaves nothing behind', async () => {
    const staged = stageContext({
      root: ROOT,
      parent: folder,
      arch: 'x64',
      env,
      signal: AbortSignal.abort(new Error('stopped')),
    });
    await expect(staged).rejects.toThrow('stopped');
    expect(await readdir(folder)).toEqual([]);
  });

  test('what a killed build left is removed by the next one, what a running one uses is not, however old', async () => {
    await using running = await ownedFolder(folder, 'image');
    await utimes(running.folder, 1, 1);
    const killed = 'image-0123456789ab';
    for (const name of [killed, 'other']) await mkdir(join(folder, name));
    const signal = new AbortController().signal;
    await stageContext({ root: ROOT, parent: folder, arch: 'x64', env, signal }).catch(() => undefined);
    const name = basename(running.folder);
    expect((await readdir(folder)).sort()).toEqual([name, `${name}.owner`, 'other']);
  });

  test('a folder whose owner was killed while it listened has a socket that refuses, and goes with it', async () => {
    const program = `import { ownedFolder } from ${JSON.stringify(join(ROOT, 'src/container/owned-folder.ts'))};
      const owned = await ownedFolder(process.argv[1], 'scratch'); console.log(owned.folder); process.kill(process.pid, 'SIGKILL');`;
    const killed = spawnSync(process.execPath, ['--input-type=module', '-e', program, folder], { encoding: 'utf8' });
    expect(killed.signal).toBe('SIGKILL');
    expect(await readdir(folder)).toHaveLength(2);
    await sweepOwnedFolders(folder);
    expect(await readdir(folder)).toEqual([]);
  });

  test('an architecture without a Node is refused', () => {
    expect(nodeArch('amd64')).toBe('x64');
    expect(nodeArch('aarch64')).toBe('arm64');
    expect(() => nodeArch('s390x')).toThrow('s390x');
  });
});
