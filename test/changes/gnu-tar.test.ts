import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFrom } from '../../src/changes/start-content.ts';
import type { ArchiveExit } from '../../src/changes/tar-errors.ts';
import { tempFolder } from '../support/cli.ts';
import { archiveOf, type Tree, tree } from '../support/trees.ts';
import { type Collected, changesOf, collect, dir, file, link, refusedOf, treeOf } from './collect-support.ts';

/** In the C locale, as in the sandbox. */
const ENV = { PATH: process.env['PATH'], LC_ALL: 'C' };
/** A socket stays when its owner is killed. */
const LISTEN_AND_DIE =
  "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
const DEFAULTS = ['--format=gnu', '--hard-dereference'];

function write(root: string, one: Tree): void {
  for (const [key, node] of one) {
    const at = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(key, 'latin1')]);
    if (node.type === 'dir') mkdirSync(at);
    else if (node.type === 'symlink') symlinkSync(node.target, at);
    else {
      writeFileSync(at, node.content);
      chmodSync(at, node.mode);
    }
  }
}

/** What is collected of a folder by the machine's own tar. */
async function collectFrom(
  root: string,
  start: Tree,
  options: readonly string[] = DEFAULTS,
  tar: readonly string[] = ['tar'],
): Promise<Collected> {
  const [command = '', ...args] = [...tar, '-c', ...options, '--exclude=./.git', '-C', root, '.'];
  const child = spawn(command, args, { env: ENV, stdio: ['ignore', 'pipe', 'pipe'] });
  const stderr = text(child.stderr);
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  const exit = async (): Promise<ArchiveExit> => ({ exitCode: await ended, stderr: await stderr });
  return collect(start, Buffer.alloc(0), { archive: child.stdout, exit, readStart: readFrom(root) });
}

test.each([[DEFAULTS], [['--format=posix']], [['--format=posix', '--pax-option=delete=atime']], [['--format=ustar']]])(
  'GNU tar with %j gives back the tree that it was given',
  async (options) => {
    const root = tempFolder();
    const made = treeOf({
      'line\nfeed': file('1', 0o755),
      ' blank ': file(''),
      'a\\b:c*"\'': file('2'),
      empty: dir,
      l: link('empty/../a'),
      'd/\u00e4': file(Buffer.alloc(70_000, 'x')),
      [`${'long/'.repeat(30)}${'n'.repeat(90)}`]: file('3'),
    });
    made.set('caf\xe9', file('latin1'));
    write(root, made);
    const collected = await collectFrom(root, made, options);
    expect(refusedOf(collected)).toEqual([]);
    expect(changesOf(collected)).toEqual([]);
    expect(collected.set.outcome).toBe('complete');
  },
);

test('random trees come out of GNU tar as they are, and our archives are what it reads', {
  timeout: 60_000,
}, async () => {
  const base = tempFolder();
  await fc.assert(
    fc.asyncProperty(tree, fc.constantFrom('gnu', 'posix'), async (made, format) => {
      const root = mkdtempSync(path.join(base, 't-'));
      write(root, made);
      expect(changesOf(await collectFrom(root, made, [`--format=${format}`]))).toEqual([]);
      const out = mkdtempSync(path.join(base, 't-'));
      execFileSync('tar', ['-xp', '-C', out], { input: archiveOf(made), env: ENV });
      expect(changesOf(await collectFrom(out, made))).toEqual([]);
      rmSync(root, { recursive: true });
      rmSync(out, { recursive: true });
    }),
    { numRuns: 25 },
  );
});

test('second names of a file are plain files where tar is asked for that, and refused where not (EX3)', async () => {
  const root = tempFolder();
  write(root, treeOf({ 'a.txt': file('shared') }));
  linkSync(`${root}/a.txt`, `${root}/b.txt`);
  expect(changesOf(await collectFrom(root, treeOf({})))).toEqual(['add a.txt', 'add b.txt']);
  const refused = await collectFrom(root, treeOf({}), ['--format=gnu']);
  expect(changesOf(refused)).toHaveLength(1);
  expect(refused.set.refused).toMatchObject([{ reason: 'hardlink' }]);
});

test('pipes, sockets, files with holes and special bits are listed, the rest comes (EX4, EX5, EX6)', async () => {
  const root = tempFolder();
  write(root, treeOf({ 'plain.txt': file('x'), suid: file('s'), holes: file('') }));
  chmodSync(`${root}/suid`, 0o4755);
  truncateSync(`${root}/holes`, 3 << 20);
  execFileSync('mkfifo', [`${root}/pipe`]);
  spawnSync(process.execPath, ['-e', LISTEN_AND_DIE, `${root}/so:ck`]);
  for (const [options, holes] of [
    [DEFAULTS, []],
    [[...DEFAULTS, '-S'], ['sparse holes']],
    [['--format=posix', '-S'], ['sparse holes']],
  ] as const) {
    const collected = await collectFrom(root, treeOf({}), options);
    expect(refusedOf(collected)).toEqual([...holes, 'fifo pipe', 'socket so:ck', 'special-bits suid']);
    expect(changesOf(collected)).toEqual([...(holes.length === 0 ? ['add holes'] : []), 'add plain.txt']);
    expect(collected.set.outcome).toBe('complete');
  }
});

test.skipIf(process.getuid?.() !== 0)('what the reader may not read is listed and stays (EX12)', async () => {
  const root = tempFolder();
  const start = treeOf({ 'a b:c.txt': file('1'), 'closed/x': file('2'), 'gone.txt': file('3') });
  write(root, treeOf({ 'a b:c.txt': file('secret', 0), 'closed/x': file('2'), 'new.txt': file('4') }));
  chmodSync(`${root}/closed`, 0);
  chmodSync(root, 0o755);
  const collected = await collectFrom(root, start, DEFAULTS, ['setpriv', '--reuid=65534', '--clear-groups', 'tar']);
  expect(refusedOf(collected)).toEqual(['unreadable a b:c.txt', 'unreadable closed']);
  expect(changesOf(collected)).toEqual(['delete gone.txt', 'add new.txt']);
  expect(collected.set.outcome).toBe('partial');
});
