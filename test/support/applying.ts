import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Applied, type ApplyTask, applyChanges } from '../../src/changes/apply/apply.ts';
import type { ChangeStore } from '../../src/changes/store.ts';
import type { ChangeSet } from '../../src/protocol/changes.ts';
import { changeSet, type Tree, writeTree } from './change-sets.ts';
import { tempFolder } from './cli.ts';
import { listing } from './listing.ts';

export interface Applying {
  readonly root: string;
  readonly runFolder: string;
  readonly set: ChangeSet;
  readonly store: ChangeStore;
  readonly task: ApplyTask;
  /** What is in the target now. */
  readonly tree: () => Record<string, string>;
  readonly apply: (over?: Partial<ApplyTask>) => Promise<Applied>;
}

/** A repository in its start state, and a run that left another tree. */
export function applying(from: Tree, to: Tree, more: Parameters<typeof changeSet>[2] = {}): Applying {
  const home = tempFolder();
  const [root, runFolder] = [path.join(home, 'repo'), path.join(home, 'run')];
  const folder = path.join(runFolder, 'changes');
  for (const one of [root, folder]) mkdirSync(one, { recursive: true, mode: 0o700 });
  writeTree(root, from);
  const { set, store } = changeSet(withFolders(from), withFolders(to), { root, folder, ...more });
  return applyingIn({ root, runFolder, set, store });
}

export function applyingIn(parts: Pick<Applying, 'root' | 'runFolder' | 'set' | 'store'>): Applying {
  const { root, runFolder, set, store } = parts;
  const task: ApplyTask = {
    set,
    store,
    picked: set.changes,
    target: Buffer.from(root),
    runFolder,
    umask: 0o022,
    pause: async () => {},
  };
  const apply = (over: Partial<ApplyTask> = {}): Promise<Applied> => applyChanges({ ...task, ...over });
  return { ...parts, task, tree: () => listing(root), apply };
}

/** With the folders that its paths lie in, as a manifest has them. */
export function withFolders(tree: Tree): Tree {
  const folders = Object.keys(tree).flatMap((name) => {
    const parts = name.split('/').slice(0, -1);
    return parts.map((_, at) => [parts.slice(0, at + 1).join('/'), { dir: true }] as const);
  });
  return { ...Object.fromEntries(folders), ...tree };
}
