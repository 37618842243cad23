import path from 'node:path';
import { ChangeStore } from '../../src/changes/store.ts';
import type { Change, ChangeSet } from '../../src/protocol/changes.ts';
import type { EndedRun, Session } from './session.ts';

/** What a run handed back, as it lies on the disk. */
export interface HandedBack {
  readonly set: ChangeSet;
  readonly store: ChangeStore;
  /** `kind path`, sorted as in the set. */
  readonly list: readonly string[];
  change(path: string): Change;
  /** What the path holds after the run. */
  after(path: string): Buffer;
}

export function handedBack(session: Session, { records }: EndedRun): HandedBack {
  const store = new ChangeStore(path.join(session.runs, records[0]?.run ?? 'none', 'changes'));
  const set = store.load();
  if (set === undefined) throw new Error(`no change set in ${store.folder}`);
  const change = (name: string): Change => {
    const found = set.changes.find((candidate) => candidate.path === name);
    if (found === undefined)
      throw new Error(`no change of ${name} among ${set.changes.map((one) => one.path).join(', ')}`);
    return found;
  };
  return {
    set,
    store,
    list: set.changes.map(({ kind, path }) => `${kind} ${path}`),
    change,
    after: (name) => {
      const { after } = change(name);
      if (after?.type !== 'file') throw new Error(`${name} is no file after the run`);
      return store.readBlob(after.sha256);
    },
  };
}
