import { expect, test } from 'vitest';
import { leftOutNotices, workspaceNotices } from '../../src/run/workspace-notices.ts';
import type { LeftOutReason } from '../../src/workspace/left-out.ts';
import { hostFacts, makePlan, REQUEST } from '../plan/support.ts';
import { newRepository, select } from '../workspace/support.ts';

const listed = (reason: LeftOutReason, ...paths: string[]) => paths.map((path) => ({ path, reason }));

test('what stays out is named, one sentence for each reason, five names at most', () => {
  const notices = leftOutNotices('Left out', {
    counts: { ignored: 7, fifo: 1, 'git-metadata': 1, excluded: 2 },
    list: [
      ...listed('git-metadata', '.git'),
      ...listed('ignored', '.env', 'a', 'b', 'c', 'd', 'e', 'f'),
      ...listed('fifo', 'pipe'),
      ...listed('excluded', 'x', 'y'),
    ],
  });
  expect(notices).toEqual([
    'Left out, ignored by git (--include GLOB brings them): .env, a, b, c, d, and 2 more.',
    'Left out, named pipes: pipe.',
  ]);
});

test('nothing is said where nothing stays out but what the user or the design leaves out', () => {
  expect(leftOutNotices('Left out', { counts: {}, list: [] })).toEqual([]);
  expect(leftOutNotices('Left out', { counts: { 'git-metadata': 1 }, list: listed('git-metadata', '.git') })).toEqual(
    [],
  );
});

test.each([
  ['*.bin filter=lfs diff=lfs merge=lfs -text\n', true],
  ['# *.bin filter=lfs\n*.txt text\n', false],
])('attributes %j are named as those of Git LFS: %s (D39)', async (attributes, named) => {
  const root = newRepository({ 'art/.gitattributes': attributes, 'art/x.bin': 'x' });
  const notices = await workspaceNotices(makePlan(REQUEST, hostFacts()), await select(root));
  expect(notices.filter((notice) => notice.includes('Git LFS'))).toHaveLength(named ? 1 : 0);
});
