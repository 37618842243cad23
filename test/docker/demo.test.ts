import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { tempFolder } from '../support/cli.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const DEMO_MS = 100_000;

beforeAll(imageReady, IMAGE_MS);

test('every line of the account of the demo holds', () => {
  const { status, stdout } = spawnSync('bash', [path.join(ROOT, 'scripts/demo')], {
    env: { ...process.env, XDG_STATE_HOME: tempFolder() },
    encoding: 'utf8',
    timeout: DEMO_MS,
  });
  expect(stdout).not.toContain('BROKEN');
  expect(stdout).toMatch(/\b(\d+) of \1 lines hold\./);
  expect(status).toBe(0);
});
