import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { packSelection } from '../../src/workspace/pack.ts';
import { newRepository, select, write } from './support.ts';

const OWNER = { uid: 10_002, gid: 10_003 };

/** A sink that keeps everything and runs `onFirst` while the first chunk is in it. */
class Collector extends Writable {
  readonly chunks: Buffer[] = [];
  onFirst: () => void = () => {};
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.chunks.push(Buffer.from(chunk)) === 1) this.onFirst();
    setImmediate(done);
  }
  get archive(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

function listing(archive: Buffer): string[] {
  const args = ['-tv', '--numeric-owner', '--quoting-style=escape', '--full-time', '-f', '-'];
  return execFileSync('tar', args, {
    input: archive,
    encoding: 'latin1',
    env: { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' },
  })
    .trimEnd()
    .split('\n');
}

const contentOf = (archive: Buffer, name: string): Buffer =>
  execFileSync('tar', ['-xO', '-f', '-', name], { input: archive, maxBuffer: 64 << 20 });

test('owner, mode and folder order are in the archive, which ends on a whole record and leaves the sink open', async () => {
  const root = newRepository({ 'd/tool': '12345' });
  chmodSync(join(root, 'd/tool'), 0o4751);
  chmodSync(join(root, 'd'), 0o2750);
  symlinkSync('../x', join(root, 'd/link'));
  const sink = new Collector();
  const result = await packSelection(await select(root), sink, OWNER);
  expect(listing(sink.archive).map((text) => text.replace(/ \S+ \S+ (?=d\/)/, ' '))).toEqual(
    [
      'drwxr-x--- 10002/10003         0 d/'.replace(/ +0 /, ' 0 '),
      'lrwxrwxrwx 10002/10003 0 d/link -> ../x',
      '-rwxr-x--x 10002/10003 5 d/tool',
    ].map((text) => expect.stringMatching(new RegExp(`^${text.replace(/ /g, ' +').replace(/[.]/g, '\\.')}$`))),
  );
  expect(result).toMatchObject({ files: 1, bytes: 5, archiveBytes: sink.archive.length, changedCount: 0, changed: [] });
  expect(sink.archive.length % 10_240).toBe(0);
  expect(sink.archive.subarray(-1024).every((byte) => byte === 0)).toBe(true);
  expect(sink.writableEnded).toBe(false);
});

test('an empty selection is a valid archive', async () => {
  const sink = new Collector();
  await packSelection(await select(newRepository()), sink, OWNER);
  expect(sink.archive).toEqual(Buffer.alloc(10_240));
});

test('a file that shrinks is filled, one that grows is cut, both are reported, and what follows is whole (D43)', async () => {
  const size = 3 << 20;
  const root = newRepository({ z: 'last' });
  for (const name of ['grows', 'shrinks']) writeFileSync(join(root, name), Buffer.alloc(size, name));
  const selection = await select(root);
  for (const [name, change] of [
    ['grows', () => appendFileSync(join(root, 'grows'), 'more')],
    ['shrinks', () => truncateSync(join(root, 'shrinks'), 200_000)],
  ] as const) {
    const sink = new Collector();
    sink.onFirst = change;
    const only = {
      ...selection,
      entries: selection.entries.filter(({ path }) => [name, 'z'].includes(path.toString())),
    };
    const result = await packSelection(only, sink, OWNER);
    expect(result.changed).toEqual([
      { path: name, what: name.replace(/s$/, '').replace('shrink', 'shrank').replace('grow', 'grew') },
    ]);
    const content = contentOf(sink.archive, name);
    expect(content.length).toBe(size);
    expect(contentOf(sink.archive, 'z').toString()).toBe('last');
    if (name === 'shrinks') expect(content.subarray(1 << 20).every((byte) => byte === 0)).toBe(true);
  }
});

test('a file that was replaced between listing and copying is skipped by name, never followed (D43, D44)', async () => {
  const root = newRepository({ a: '', gone: '', link: '', pipe: '', folder: '', z: 'z' });
  const selection = await select(root);
  for (const name of ['gone', 'link', 'pipe', 'folder']) rmSync(join(root, name));
  symlinkSync('/etc/hostname', join(root, 'link'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  mkdirSync(join(root, 'folder'));
  const sink = new Collector();
  const result = await packSelection(selection, sink, OWNER);
  expect(result.skipped.counts).toEqual({ vanished: 1, replaced: 3 });
  expect(listing(sink.archive).map((text) => text.split(' ').at(-1))).toEqual(['a', 'z']);
});

test('a file that may not be read is skipped by name', async () => {
  const root = newRepository({ a: '', shut: 'CANARY' });
  chmodSync(join(root, 'shut'), 0);
  const selection = await select(root);
  const asOther = process.getuid?.() === 0;
  if (asOther) {
    chmodSync(root, 0o755);
    process.seteuid?.(65_534);
  }
  const sink = new Collector();
  try {
    const result = await packSelection(selection, sink, OWNER);
    expect(result.skipped.list).toEqual([{ path: 'shut', reason: 'unreadable' }]);
  } finally {
    if (asOther) process.seteuid?.(0);
  }
  expect(sink.archive.includes('CANARY')).toBe(false);
});

test('small files go out in few writes', async () => {
  const root = newRepository(Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`f${n}`, 'x'])));
  const sink = new Collector();
  const { archiveBytes } = await packSelection(await select(root), sink, OWNER);
  expect(sink.chunks.length).toBe(Math.ceil(archiveBytes / (128 << 10)));
});

test('an abort while the sink is full ends the copy with its reason and closes every file', async () => {
  const root = newRepository();
  writeFileSync(join(root, 'big'), Buffer.alloc(4 << 20));
  const selection = await select(root);
  const controller = new AbortController();
  const reason = new Error('stop');
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const before = descriptors();
  const stuck = new Writable({
    write() {
      controller.abort(reason);
    },
  });
  await expect(packSelection(selection, stuck, { ...OWNER, signal: controller.signal })).rejects.toBe(reason);
  expect(descriptors()).toBe(before);
  expect(stuck.listenerCount('error') + stuck.listenerCount('close') + stuck.listenerCount('drain')).toBe(0);
});

test('a sink that breaks ends the copy with an error of the wire', async () => {
  const root = newRepository();
  writeFileSync(join(root, 'big'), Buffer.alloc(4 << 20));
  const selection = await select(root);
  const tar = spawn('tar', ['-x', '-C', '/nonexistent'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await expect(packSelection(selection, tar.stdin, OWNER)).rejects.toMatchObject({ code: 'wire' });
  const destroyed = new Collector();
  destroyed.destroy();
  await expect(packSelection(selection, destroyed, OWNER)).rejects.toMatchObject({ code: 'wire' });
});

test('a file of 1 GiB and a slow reader take no more memory than a small one (D49)', async () => {
  const root = newRepository();
  writeFileSync(join(root, 'big'), '');
  truncateSync(join(root, 'big'), 1 << 30);
  const selection = await select(root);
  const discard = spawn('sh', ['-c', 'exec cat > /dev/null'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const before = process.memoryUsage.rss();
  let most = before;
  const onProgress = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const { bytes } = await packSelection(selection, discard.stdin, { ...OWNER, onProgress });
  discard.stdin.end();
  await once(discard, 'exit');
  expect(bytes).toBe(1 << 30);
  expect((most - before) / 1e6).toBeLessThan(60);
});

test('the size of a file over 8 GiB is written in a form that tar reads', async () => {
  const root = newRepository();
  writeFileSync(join(root, 'huge'), '');
  truncateSync(join(root, 'huge'), 9 * 2 ** 30);
  const controller = new AbortController();
  const sink = new Collector();
  sink.onFirst = () => controller.abort();
  await expect(packSelection(await select(root), sink, { ...OWNER, signal: controller.signal })).rejects.toThrow();
  // tar lists the header, then complains that the content is cut: only the header is asked for.
  const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
    const tar = spawn('tar', ['-tv', '-f', '-'], { stdio: ['pipe', 'pipe', 'ignore'] });
    let stdout = '';
    tar.stdout.on('data', (chunk) => {
      stdout += String(chunk);
    });
    tar.on('close', () => resolve({ stdout }));
    tar.stdin.end(sink.chunks[0]);
  });
  expect(stdout).toContain(String(9 * 2 ** 30));
});

test('ten thousand small files go out at more than 5000 a second', async () => {
  const root = newRepository();
  const files = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [`d${n % 100}/${n}`, 'x'.repeat(n % 3000)]),
  );
  write(root, files);
  const selection = await select(root);
  const start = performance.now();
  const { files: packed } = await packSelection(selection, new Collector(), OWNER);
  expect(packed / ((performance.now() - start) / 1000)).toBeGreaterThan(5000);
  expect(readFileSync(join(root, 'd0/0'), 'utf8')).toBe('');
});
