import { existsSync } from 'node:fs';
import path from 'node:path';
import { ChangeStore } from '../changes/store.ts';
import { controllerAlive } from '../container/ownership.ts';
import { SandboxError } from '../errors.ts';
import { PROFILES } from '../plan/profiles.ts';
import type { ChangeSet } from '../protocol/changes.ts';
import type { ProfileName } from '../protocol/plan.ts';
import { controlSocket } from '../run/recover.ts';
import type { RunSummary } from '../transcript/run-list.ts';
import { environment } from './environment.ts';

/** Folder of a change set in its run folder. */
const CHANGES_FOLDER = 'changes';

/** The change set of a run. Rejects with SandboxError that says why there is none. */
export async function loadChanges(run: RunSummary): Promise<{ readonly set: ChangeSet; readonly store: ChangeStore }> {
  const folder = path.join(run.folder, CHANGES_FOLDER);
  const store = new ChangeStore(folder);
  const set = existsSync(folder) ? store.load() : undefined;
  if (set !== undefined) return { set, store };
  if (await controllerAlive(controlSocket(environment.stateRoot, run.id))) {
    throw new SandboxError('usage', `Run ${run.id} still goes on; its changes are collected when it ends.`, {
      hint: `"pi-sandbox logs ${run.id} -f" follows it, "pi-sandbox stop ${run.id}" ends it.`,
    });
  }
  if (run.profile !== undefined && !canWrite(run.profile)) {
    throw new SandboxError(
      'usage',
      `Run ${run.id} had profile ${run.profile}, which edits nothing: it has no changes.`,
      {
        hint: 'Use "--profile edit" for a run that hands changes back.',
      },
    );
  }
  throw new SandboxError(
    'state',
    `Run ${run.id} has no change set: it was discarded, or the run ended before one could be collected.`,
    { hint: `"pi-sandbox show ${run.id}" says how the run ended, "pi-sandbox logs ${run.id}" what happened.` },
  );
}

function canWrite(profile: string): boolean {
  return profile in PROFILES && PROFILES[profile as ProfileName].writes;
}
