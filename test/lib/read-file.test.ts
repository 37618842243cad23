import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readFileWithin, TooLargeError } from '../../src/lib/read-file.ts';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'read-file-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test.each([0, 1, 99, 100])('a file of %i bytes is read whole where 100 are wanted', async (bytes) => {
  const file = path.join(folder(), 'f');
  writeFileSync(file, Buffer.alloc(bytes, 'x'));
  expect(await readFileWithin(file, 100)).toEqual(Buffer.alloc(bytes, 'x'));
});

test('a larger file is refused, whatever its size', async () => {
  const file = path.join(folder(), 'f');
  writeFileSync(file, '');
  for (const bytes of [101, 2 ** 40]) {
    truncateSync(file, bytes);
    await expect(readFileWithin(file, 100)).rejects.toThrow(new TooLargeError(`it has ${bytes} bytes, more than 100`));
  }
});

test('a file of the kernel, which gives no size, is read, and refused where it has more bytes than wanted', async () => {
  const text = readFileSync('/proc/self/limits');
  expect(await readFileWithin('/proc/self/limits', 100_000)).toEqual(text);
  await expect(readFileWithin('/proc/self/limits', text.length - 1)).rejects.toThrow(TooLargeError);
});

test('what is no regular file is refused without waiting for it', async () => {
  const home = folder();
  execFileSync('mkfifo', [path.join(home, 'pipe')]);
  for (const odd of [path.join(home, 'pipe'), '/dev/zero', home]) {
    await expect(readFileWithin(odd, 100)).rejects.toThrow('it is not a regular file');
  }
});

test('a link is followed only where it may be', async () => {
  const home = folder();
  writeFileSync(path.join(home, 'f'), 'text');
  symlinkSync('f', path.join(home, 'link'));
  expect((await readFileWithin(path.join(home, 'link'), 100)).toString()).toBe('text');
  await expect(readFileWithin(path.join(home, 'link'), 100, { follow: false })).rejects.toThrow('ELOOP');
});
