import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChangeStore } from '../../src/changes/store.ts';
import { parsePath, showPath } from '../../src/lib/path-bytes.ts';
import type { ChangeSet, FileState } from '../../src/protocol/changes.ts';
import { inPieces } from '../support/raw-archive.ts';
import { archiveOf, edited, edits, manifestOf, type Node, type Tree, tree } from '../support/trees.ts';
import { collect } from './collect-support.ts';

const keyOf = (shown: string): string => parsePath(shown).toString('latin1');
const parentOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('/')));
const covers = (refused: string, key: string): boolean => key === refused || key.startsWith(`${refused}/`);

/** Applies a change set as strictly as a disk would: nothing into what is no folder, no folder away that is not empty. */
function applied(start: Tree, { changes }: ChangeSet, store: ChangeStore): Tree {
  const result: Tree = new Map(start);
  const take = (key: string) => {
    expect([...result.keys()].filter((other) => other.startsWith(`${key}/`))).toEqual([]);
    result.delete(key);
  };
  for (const { path: shown, kind, before } of changes.toReversed()) {
    const key = keyOf(shown);
    expect(describe(result.get(key)), `${shown} before`).toEqual(before);
    if (kind === 'delete' || kind === 'type') take(key);
  }
  for (const { path: shown, after } of changes) {
    if (after === undefined) continue;
    const key = keyOf(shown);
    expect(parentOf(key) === '' ? 'dir' : result.get(parentOf(key))?.type, `above ${shown}`).toBe('dir');
    result.set(key, nodeOf(after, store));
  }
  return result;
}

function nodeOf(state: FileState, store: ChangeStore): Node {
  if (state.type === 'dir') return { type: 'dir' };
  if (state.type === 'symlink') return { type: 'symlink', target: parsePath(state.target) };
  return { type: 'file', content: store.readBlob(state.sha256), mode: state.executable ? 0o755 : 0o644 };
}

function describe(node: Node | undefined): FileState | undefined {
  const manifest = node === undefined ? undefined : manifestOf(new Map([['x', node]])).get('x');
  if (node === undefined || manifest === undefined) return undefined;
  if (node.type === 'dir') return { type: 'dir' };
  if (node.type === 'symlink') return { type: 'symlink', target: showPath(node.target) };
  return { type: 'file', executable: (node.mode & 0o100) !== 0, size: manifest.size, sha256: manifest.sha256 ?? '' };
}

test('what is applied equals what the agent left, but for what is refused by name', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'round-trip-'));
  const seen: Record<string, number> = {};
  let [count, changed] = [0, 0];
  try {
    await fc.assert(
      fc.asyncProperty(tree, edits, fc.integer({ min: 1, max: 3000 }), async (start, all, piece) => {
        const end = edited(start, all);
        const store = new ChangeStore(mkdtempSync(path.join(folder, 's-')));
        const { set } = await collect(start, end, { store, archive: inPieces(archiveOf(end), piece) });
        const result = applied(start, set, store);
        const refused = set.refused.map((one) => keyOf(one.path));
        expect(set.outcome).toBe('complete');
        for (const key of new Set([...result.keys(), ...end.keys()])) {
          const [is, was, made] = [result, start, end].map((one) => describe(one.get(key)));
          if (refused.some((at) => covers(at, key))) expect(is, key).toEqual(was);
          else if (refused.some((at) => covers(key, at))) expect([was, made], key).toContainEqual(is);
          else expect(is, key).toEqual(made);
        }
        count += 1;
        changed += set.changes.length;
        for (const { reason } of set.refused) seen[reason] = (seen[reason] ?? 0) + 1;
        store.discard();
      }),
      { numRuns: 2000 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // Not by refusing most of it.
  expect(count).toBeGreaterThanOrEqual(2000);
  expect(changed).toBeGreaterThan(3 * count);
  expect(Object.keys(seen).sort()).toEqual(['git-metadata', 'name-collision', 'outside']);
  expect(Object.values(seen).reduce((sum, one) => sum + one)).toBeLessThan(changed / 4);
});
