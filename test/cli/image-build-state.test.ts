import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { build } from '../../src/cli/ensure-image.ts';
import type { Engine } from '../../src/container/engine.ts';
import { tempFolder } from '../support/cli.ts';

/** An engine that is only told apart by being asked. */
const ASKED = new Error('the engine was asked');
const engine = new Proxy({} as Engine, {
  get: () => {
    throw ASKED;
  },
});

function building(home: string): Promise<unknown> {
  vi.stubEnv('XDG_STATE_HOME', home);
  return build(engine, {}, new AbortController().signal, () => undefined);
}

test.each([
  ['a link', (root: string) => symlinkSync(tempFolder(), root), 'symbolic link'],
  [
    'open to others',
    (root: string) => {
      mkdirSync(root);
      chmodSync(root, 0o777);
    },
    'others may write to it',
  ],
])('an image is not built in a state folder that is %s', async (_what, make, says) => {
  const home = tempFolder();
  const root = path.join(home, 'pi-sandbox');
  make(root);
  await expect(building(home)).rejects.toMatchObject({ code: 'state', message: expect.stringContaining(says) });
  expect(readdirSync(root)).toEqual([]);
});

test('a state folder that is missing is made for a build, for nobody else', async () => {
  const home = tempFolder();
  await expect(building(home)).rejects.toBe(ASKED);
  expect(readdirSync(home)).toEqual(['pi-sandbox']);
});
