import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { defaultBase } from '../../src/container/image/base.ts';
import { ImageMaker } from '../support/image-making.ts';
import { runInImage } from '../support/image-probe.ts';

const maker = new ImageMaker();
beforeAll(() => maker.open());

test('a build tells its progress, and its staging folder is gone', async () => {
  await maker.make();
  expect(maker.progress.some((line) => line.startsWith('Step 1/'))).toBe(true);
  expect(maker.leftovers()).toEqual([]);
});

test('a build names the tools that a base lacks where nothing can install them (D11)', async () => {
  const install = await readFile(join(import.meta.dirname, '../..', 'images/build/packages.sh'), 'utf8');
  const damage = 'rm -f /usr/bin/rg /usr/bin/fdfind /usr/bin/apt-get';
  const { ok, output } = await runInImage(maker.engine, await defaultBase(maker.engine), `${damage}\n${install}`);
  expect(ok).toBe(false);
  expect(output).toContain('pi-sandbox: this image lacks rg fd and has no apt-get');
});

test('a build ends when it is aborted, and leaves nothing behind', async () => {
  const controller = new AbortController();
  const before = maker.progress.length;
  const building = maker.make({ signal: controller.signal });
  setTimeout(() => controller.abort(new Error('stopped by the user')), 1500);
  await expect(building).rejects.toThrow();
  expect(maker.progress.length).toBeGreaterThan(before);
  expect(maker.leftovers()).toEqual([]);
});
