import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realPathOf } from '../../images/guest/real-path.ts';
import { pathsOfCall } from '../../images/guest/resolve-paths.ts';

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pi-sandbox-resolve-')));
  mkdirSync(join(folder, 'deep/er'), { recursive: true });
  writeFileSync(join(folder, 'plain'), '');
  writeFileSync(join(folder, 'deep/er/file'), '');
  writeFileSync(join(folder, 'it\u2019s'), '');
  const links: Record<string, string> = {
    link: 'plain',
    chain: './link',
    absolute: join(folder, 'plain'),
    folder: 'deep',
    'deep/up': '../plain',
    // From the real folder, not from the one that the path names.
    'deep/er/out': '../../plain',
    dangling: 'deep/missing/../new',
    'dangling-chain': 'dangling',
    loop: 'loop',
    ping: 'pong',
    pong: 'ping',
    root: '/',
    self: '.',
    below: 'plain/x',
    'with-dots': 'folder/../plain',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
  const odd = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]);
  symlinkSync('plain', odd);
  symlinkSync(odd.subarray(folder.length + 1), join(folder, 'through-odd'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the real path', () => {
  test.each([
    'plain',
    'link',
    'chain',
    'absolute',
    'folder/er/file',
    'deep/up',
    'folder/er/out',
    'self/self/chain',
    'with-dots',
    '.',
    'through-odd',
    'root/etc',
  ])('of %s is the one that the kernel gives', (path) => {
    const full = join(folder, path);
    expect(realPathOf(full)).toBe(realpathSync.native(full));
  });

  test('of what does not exist keeps the rest', () => {
    expect(realPathOf(join(folder, 'folder/new/file'))).toBe(join(folder, 'deep/new/file'));
    expect(realPathOf('/nowhere/at/all')).toBe('/nowhere/at/all');
    expect(realPathOf('/')).toBe('/');
  });

  test('of a link to what does not exist is where writing would create it', () => {
    expect(realPathOf(join(folder, 'dangling'))).toBe(join(folder, 'deep/new'));
    expect(realPathOf(join(folder, 'dangling-chain'))).toBe(join(folder, 'deep/new'));
  });

  test('of a loop cannot be told', () => {
    expect(realPathOf(join(folder, 'loop'))).toBeUndefined();
    expect(realPathOf(join(folder, 'ping/x'))).toBeUndefined();
    expect(realPathOf('/a\0b')).toBeUndefined();
  });

  test('below a file is below that file', () => {
    expect(realPathOf(join(folder, 'link/x'))).toBe(join(folder, 'plain/x'));
    expect(realPathOf(join(folder, 'below'))).toBe(join(folder, 'plain/x'));
  });

  test('through the links of /proc', () => {
    expect(realPathOf(`/proc/self/root${folder}/link`)).toBe(join(folder, 'plain'));
    expect(realPathOf('/proc/self/cwd/x')).toBe(join(process.cwd(), 'x'));
    expect(realPathOf('/proc/self/environ')).toBe(`/proc/${process.pid}/environ`);
  });
});

describe('the paths of a call', () => {
  const told = (tool: string, input: Record<string, unknown>) => {
    const found = pathsOfCall(tool, input, folder);
    return 'refused' in found ? found.refused : found.paths.map(({ resolved, real }) => [resolved, real]);
  };

  test.each(['read', 'write', 'edit', 'grep', 'find', 'ls'])('%s: as pi opens it, and as it is', (tool) => {
    expect(told(tool, { path: '@./folder/../link' })).toEqual([[join(folder, 'link'), join(folder, 'plain')]]);
    expect(told(tool, { path: `file://${folder}/li%6Ek` })).toEqual([[join(folder, 'link'), join(folder, 'plain')]]);
    expect(told(tool, { path: 'loop' })).toEqual([[join(folder, 'loop'), undefined]]);
    expect(told(tool, { path: 'file://elsewhere/x' })).toMatch(/names no file/);
    expect(told(tool, { path: 5 })).toMatch(/a path that is a text/);
    expect(told(tool, { path: 'x'.repeat(4096) })).toMatch(/too long/);
  });

  test('the working folder, where a tool may leave its path away', () => {
    for (const tool of ['grep', 'find', 'ls']) {
      for (const input of [{}, { path: '' }, { path: null }]) expect(told(tool, input)).toEqual([[folder, folder]]);
    }
    expect(told('read', {})).toMatch(/a path that is a text/);
  });

  test('of read each spelling that exists', () => {
    const straight = join(folder, "it's");
    const curly = join(folder, 'it\u2019s');
    expect(told('read', { path: "it's" })).toEqual([
      [straight, straight],
      [curly, curly],
    ]);
    expect(told('write', { path: "it's" })).toEqual([[straight, straight]]);
  });

  test('other tools name none', () => {
    expect(told('bash', { command: 'cat plain', path: 'plain' })).toEqual([]);
    expect(told('constructor', { path: 'plain' })).toEqual([]);
  });
});
