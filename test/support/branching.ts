import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type BranchRequest, commitBranch } from '../../src/run/commit-branch.ts';
import { git } from '../workspace/support.ts';
import { withFolders } from './applying.ts';
import { changeSet, type Tree, writeTree } from './change-sets.ts';
import { tempFolder } from './cli.ts';

/** A git repository whose HEAD is the start state of a run, and what that run left. */
export function branching(from: Tree, to: Tree, more: Partial<Parameters<typeof changeSet>[2]> = {}) {
  const root = path.join(tempFolder(), 'repo');
  mkdirSync(root);
  git(root, 'init', '-q', '-b', 'main');
  writeTree(root, from);
  commit(root);
  return { root, ...ready(root, from, to, more) };
}

/** As `branching`, for a folder that is prepared already. */
export function ready(root: string, from: Tree, to: Tree, more: Partial<Parameters<typeof changeSet>[2]> = {}) {
  const [stateRoot, homeDir] = [tempFolder(), tempFolder()];
  const { set, store } = changeSet(withFolders(from), withFolders(to), { root, ...more });
  const branch = (name: string, over: Partial<BranchRequest> = {}) =>
    commitBranch(
      {
        set,
        store,
        picked: set.changes,
        name,
        signal: new AbortController().signal,
        pause: async () => {},
        check: false,
        ...over,
      },
      { stateRoot, homeDir, configHome: undefined },
    );
  return { set, store, homeDir, branch };
}

export function commit(root: string): void {
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'state');
}

/** Paths of a branch with their modes and names of content. */
export function treeOf(root: string, name: string): string[] {
  return git(root, 'ls-tree', '-r', '-z', name).split('\0').filter(Boolean);
}

/** A clone's view of what plain git would have committed after the tree had been written. */
export function committedBy(tree: Tree): string[] {
  const root = path.join(tempFolder(), 'other');
  mkdirSync(root);
  git(root, 'init', '-q', '-b', 'main');
  writeTree(root, tree);
  commit(root);
  return treeOf(root, 'main');
}
