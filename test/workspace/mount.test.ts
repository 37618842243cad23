import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkMount, visibleIgnored } from '../../src/workspace/mount.ts';
import { newRepository, select, write } from './support.ts';

const line = (point: string, options: string, superOptions = 'rw') =>
  `36 35 98:0 / ${point} ${options} shared:1 - ext4 /dev/sda1 ${superOptions}`;

test('a repository without mounts inside can be mounted', async () => {
  const mountinfo = [
    line('/', 'rw'),
    line('/home', 'rw'),
    line('/home/me/project', 'rw'),
    line('/home/me/project2/x', 'rw'),
  ];
  expect(await checkMount('/home/me/project', mountinfo.join('\n'))).toEqual({ readOnlySubMounts: [] });
  expect(await checkMount('/nonexistent', readFileSync('/proc/self/mountinfo', 'latin1'))).toEqual({
    readOnlySubMounts: [],
  });
});

test('writable mounts inside are refused, each by name', async () => {
  const mountinfo = [line('/p/a\\040b', 'rw,relatime'), line('/p/c', 'ro'), line('/p/d', 'rw,nosuid')].join('\n');
  await expect(checkMount('/p', mountinfo)).rejects.toMatchObject({
    code: 'repository',
    message: expect.stringContaining('(/p/a b, /p/d)'),
    hint: expect.stringContaining('--workspace copy'),
  });
});

test('read-only mounts inside are allowed and named; one writable layer on the same place is not', async () => {
  const readOnly = [line('/p/c', 'ro'), line('/p/d', 'rw', 'ro,errors=remount-ro')];
  expect(await checkMount('/p', readOnly.join('\n'))).toEqual({ readOnlySubMounts: ['/p/c', '/p/d'] });
  await expect(checkMount('/p', [...readOnly, line('/p/c', 'rw')].join('\n'))).rejects.toThrow('(/p/c)');
});

test('the start summary of a mount names what a copy would have left out', async () => {
  const root = newRepository({ '.gitignore': '.env\nbuild/\n', '.env': '', 'build/x': '', a: '' });
  write(root, { 'docs/a': '' });
  const { count, paths } = visibleIgnored(await select(root, { exclude: ['docs'] }));
  expect(count).toBe(4);
  expect(paths).toEqual(['.env', 'build/', '.git', 'docs/']);
});
