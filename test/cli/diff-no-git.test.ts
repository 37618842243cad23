import { expect, test, vi } from 'vitest';
import { makePatch } from '../../src/changes/patch.ts';
import { printSet } from '../../src/cli/diff/json.ts';
import type { Shown } from '../../src/cli/diff/shown.ts';
import { statRows } from '../../src/cli/diff/stat.ts';
import { diffText } from '../../src/cli/diff/text.ts';
import type { ChangeSetView } from '../../src/protocol/change-view.ts';
import { changeSet } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';

/** Changes on a machine that has no git. */
function withoutGit(): Shown {
  const hook = { class: 'hooks' as const, what: 'runs on commit' };
  const { set, store } = changeSet({ 'a.txt': 'one\n' }, { 'a.txt': 'three\n', z: 'x\n' }, { risks: { z: [hook] } });
  return {
    set,
    changes: set.changes,
    named: [],
    patchOf: (changes) => makePatch(store, changes, { folder: tempFolder(), gitPath: '/nonexistent/git' }),
  };
}

const MISSING = {
  code: 'state',
  message: expect.stringContaining('git was not found'),
  hint: expect.stringContaining('--stat'),
};

test('without git a person sees what changed, and then why there are no lines', async () => {
  let text = '';
  const read = async (): Promise<void> => {
    for await (const piece of diffText(withoutGit(), { terminal: false, color: false })) text += piece;
  };
  await expect(read()).rejects.toMatchObject(MISSING);
  expect(text).toMatch(
    /\n {2}z {2}hooks: runs on commit\n[\s\S]*\nz {2}added\n! hooks: runs on commit\n\na\.txt {2}modified\n$/,
  );
});

test('without git --stat shows sizes', () => {
  const { changes } = withoutGit();
  const { rows, sum } = statRows(changes, undefined);
  expect(rows).toEqual([
    ['a.txt', '4 B -> 6 B', 'modified'],
    ['z', 'nothing -> 2 B', 'added  ! hooks'],
  ]);
  expect(sum).toBe('2 paths changed');
});

test('without git --json has everything but the patch, and says why', async () => {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
    text += String(piece);
    return true;
  });
  try {
    await printSet(withoutGit());
  } finally {
    write.mockRestore();
  }
  const view = JSON.parse(text) as ChangeSetView;
  expect(view).toMatchObject({ patch: null, patchProblem: expect.stringContaining('git was not found'), v: 1 });
  expect(view.changes).toHaveLength(2);
});
