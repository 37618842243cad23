import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { git } from '../changes/support.ts';
import { ranOver } from '../cli/diff-support.ts';
import type { Tree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { figures } from '../support/figures.ts';

const FILES = 60_000;

test('60 000 new files are in the patch, in the list, and apply (D62)', async ({ task }) => {
  const tree: Tree = Object.fromEntries(
    Array.from({ length: FILES }, (_, at) => [`d${at % 100}/f${at}.txt`, `content of file ${at}\n`]),
  );
  const { diff } = ranOver({}, tree);
  const started = performance.now();
  const { code, stdoutBytes } = await diff('--patch');
  const seconds = (performance.now() - started) / 1_000;
  expect(code).toBe(0);
  const root = tempFolder();
  git(root, ['apply', '-'], { input: stdoutBytes });
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(found).toHaveLength(FILES);
  expect((await diff('--stat')).stdout).toContain(`${FILES} paths changed, ${FILES} lines added, 0 lines removed`);
  figures(task, `a patch of ${FILES} new files took ${seconds.toFixed(1)} s`);
});
