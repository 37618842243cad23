import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCandidates, resolveToolPath } from '../../images/guest/path-forms.ts';
import { refuseSpecialFile } from '../../images/guest/special-file.ts';

describe('the path that a tool of pi opens', () => {
  test.each([
    ['a.txt', '/cwd/a.txt'],
    ['./f', '/cwd/f'],
    ['../x', '/x'],
    ['/etc/../etc/passwd', '/etc/passwd'],
    ['@a.txt', '/cwd/a.txt'],
    ['@/abs', '/abs'],
    ['@@a', '/cwd/@a'],
    ['~', homedir()],
    ['~/f', join(homedir(), 'f')],
    ['@~/f', join(homedir(), 'f')],
    ['~other/f', '/cwd/~other/f'],
    ['file:///tmp/a%20b', '/tmp/a b'],
    ['@file:///tmp/a', '/tmp/a'],
    ['a\u00a0b', '/cwd/a b'],
    ['a\u202fb', '/cwd/a b'],
  ])('%j is %s', (given, expected) => {
    expect(resolveToolPath(given, '/cwd')).toBe(expected);
  });

  test('read tries the spellings of macOS as well', () => {
    expect(readCandidates("/d/it's 3 PM.png")).toContain('/d/it\u2019s 3 PM.png');
    expect(readCandidates('/d/Shot 3 PM.png')).toContain('/d/Shot 3\u202fPM.png');
    expect(readCandidates('/d/é')).toContain('/d/e\u0301');
  });
});

describe('files that would hang pi are refused before they are opened', () => {
  let folder: string;
  let server: net.Server;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pi-sandbox-guard-'));
    execFileSync('mkfifo', [join(folder, 'pipe'), join(folder, 'it\u2019s')]);
    writeFileSync(join(folder, 'plain'), '');
    mkdirSync(join(folder, 'sub'));
    symlinkSync('pipe', join(folder, 'link'));
    symlinkSync('link', join(folder, 'link-to-link'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    server = net.createServer().listen(join(folder, 'socket'));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  test.each(['read', 'write', 'edit', 'grep'])('%s', (tool) => {
    const refusal = (path: string): string | undefined => refuseSpecialFile(tool, { path }, folder);
    for (const form of [
      'pipe',
      './pipe',
      '@pipe',
      'sub/../pipe',
      join(folder, 'pipe'),
      `file://${folder}/pipe`,
      'link',
      'link-to-link',
    ]) {
      expect(refusal(form), form).toMatch(/^pi-sandbox: .* is a named pipe$/);
    }
    expect(refusal('socket')).toMatch(/^pi-sandbox: .* is a socket$/);
    expect(refusal('/dev/zero')).toMatch(/^pi-sandbox: .* is a device$/);
    for (const fine of [
      'plain',
      './plain',
      'sub',
      '.',
      'missing',
      'missing/deeper',
      'dangling',
      'loop',
      'plain/below',
      'nul\0byte',
    ]) {
      expect(refusal(fine), fine).toBeUndefined();
    }
    expect(refusal('file://elsewhere/pipe')).toMatch(/^pi-sandbox: .* names no file in the sandbox$/);
  });

  test('an open descriptor of pi that is a pipe', async () => {
    const { spawn } = await import('node:child_process');
    const child = spawn('sleep', ['60']);
    try {
      expect(refuseSpecialFile('read', { path: `/proc/${child.pid}/fd/0` }, folder)).toMatch(
        /^pi-sandbox: .* is a (socket|named pipe)$/,
      );
    } finally {
      child.kill();
    }
  });

  test('a spelling that only read would try', () => {
    expect(refuseSpecialFile('read', { path: "it's" }, folder)).toMatch(/is a named pipe$/);
    expect(refuseSpecialFile('write', { path: "it's" }, folder)).toBeUndefined();
  });

  test('tools that open no file, and calls without a path, pass', () => {
    expect(refuseSpecialFile('ls', { path: 'pipe' }, folder)).toBeUndefined();
    expect(refuseSpecialFile('find', { path: 'pipe' }, folder)).toBeUndefined();
    expect(refuseSpecialFile('grep', { pattern: 'x' }, folder)).toBeUndefined();
    expect(refuseSpecialFile('bash', { command: 'cat pipe', path: 'pipe' }, folder)).toBeUndefined();
  });
});
