import { existsSync } from 'node:fs';
import path from 'node:path';
import { ChangeStore } from '../changes/store.ts';
import { controllerAlive } from '../container/ownership.ts';
import { SandboxError } from '../errors.ts';
import { PROFILE_WRITES } from '../plan/profiles.ts';
import type { ChangeSet } from '../protocol/changes.ts';
import type { ProfileName } from '../protocol/plan.ts';
import { readChangeState } from '../run/change-state.ts';
import { controlSocket } from '../run/recover.ts';
import { RunFolder } from '../transcript/run-folder.ts';
import type { RunSummary } from '../transcript/run-list.ts';
import { CHANGES_FOLDER } from '../transcript/state-root.ts';
import { environment } from './environment.ts';

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
  throw new SandboxError('state', `Run ${run.id} has no change set: ${whyNone(run)}`, {
    hint: `"pi-sandbox show ${run.id}" says how the run ended, "pi-sandbox logs ${run.id}" what happened.`,
  });
}

function whyNone({ id, outcome, changes }: RunSummary): string {
  const became = readChangeState(RunFolder.open(environment.stateRoot, id));
  if (became?.state === 'discarded') return `its changes were discarded at ${became.time}.`;
  if (changes?.outcome === 'failed') return `its changes could not be taken out. ${changes.reasons.join(' ')}`;
  return outcome === undefined
    ? 'its controller is gone, and with it what the sandbox held.'
    : 'it ended before the agent could change anything.';
}

function canWrite(profile: string): boolean {
  return profile in PROFILE_WRITES && PROFILE_WRITES[profile as ProfileName];
}
