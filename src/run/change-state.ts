import { ChangeStore } from '../changes/store.ts';
import { ChangeState } from '../protocol/change-state.ts';
import type { RunFolder } from '../transcript/run-folder.ts';
import { CHANGES_FOLDER, CHANGES_STATE_FILE } from '../transcript/state-root.ts';

/** Where a run keeps its change set, whether there is one or not. */
export function changeStore(folder: RunFolder): ChangeStore {
  return new ChangeStore(folder.path(CHANGES_FOLDER));
}

/** What became of a run's change set; undefined while it waits. @throws SandboxError `state` */
export function readChangeState(folder: RunFolder): ChangeState | undefined {
  return folder.readJson(CHANGES_STATE_FILE, ChangeState);
}

export function writeChangeState(folder: RunFolder, state: Omit<ChangeState, 'v'>): void {
  folder.writeJson(CHANGES_STATE_FILE, { v: 1, ...state } satisfies ChangeState);
}
