import { expect, test } from 'vitest';
import { leavesRoot } from '../../src/changes/link-target.ts';
import type { ManifestEntry } from '../../src/protocol/manifest.ts';

const link = (path: string, target: string): ManifestEntry => ({
  path: Buffer.from(path),
  type: 'symlink',
  mode: 0o777,
  size: 0,
  target: Buffer.from(target),
});

test('links that lead along thousands of parts are refused, and keep nobody busy', () => {
  const round = link('round', '.');
  const at = (key: string): ManifestEntry | undefined => (key === 'round' ? round : undefined);
  const started = performance.now();
  for (const target of [
    'round/'.repeat(600),
    './'.repeat(2000),
    `${'x/'.repeat(2000)}x`,
    'xxxxxxxxxxxxxxx/'.repeat(250),
  ]) {
    for (let count = 0; count < 3000; count++) expect(leavesRoot(link('l', target), at)).toContain('too many');
  }
  expect(performance.now() - started).toBeLessThan(2000);
  expect(leavesRoot(link('a/b/l', `${'../'.repeat(2)}${'x/'.repeat(15)}x`), at)).toBeUndefined();
  expect(leavesRoot(link('a/b/l', 'round/../../../x'), at)).toContain('not there');
  expect(leavesRoot(link('l', 'round/round/y'), at)).toBeUndefined();
});
