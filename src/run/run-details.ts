import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { messageOf, SandboxError } from '../errors.ts';
import { ChangeState } from '../protocol/change-state.ts';
import { HandBack } from '../protocol/hand-back.ts';
import { Outcome } from '../protocol/outcome.ts';
import { RunPlan } from '../protocol/plan.ts';
import { PostureFile } from '../protocol/posture.ts';
import type { RunDetails } from '../protocol/run-details.ts';
import { RunRequest } from '../request/run-request.ts';
import { readLedger } from '../transcript/read-ledger.ts';
import { RunFolder } from '../transcript/run-folder.ts';
import { timeOfRunId } from '../transcript/run-id.ts';
import { CHANGES_STATE_FILE, HAND_BACK_FILE } from '../transcript/state-root.ts';
import { gateSummary } from './gate-summary.ts';
import { recordedStart } from './recorded-start.ts';
import { runState } from './run-state.ts';

/** Files that are listed one by one. */
const MAX_LISTED = 2_000;

/** All that is kept of a run, as far as it can be read. @throws SandboxError `state` when the folder cannot be used */
export async function runDetails(stateRoot: string, run: string): Promise<RunDetails> {
  const folder = RunFolder.open(stateRoot, run);
  const damaged: string[] = [];
  const read = <T extends TSchema>(name: string, schema: T): Static<T> | undefined =>
    attempt(damaged, () => folder.readJson(name, schema));
  const request = read('request.json', RunRequest);
  const plan = read('plan.json', RunPlan);
  const posture = read('posture.json', PostureFile);
  const outcome = read('outcome.json', Outcome);
  const changes = read(HAND_BACK_FILE, HandBack);
  const changesState = read(CHANGES_STATE_FILE, ChangeState);
  const ledger = await readLedger(folder.folder).catch((error: unknown) => void damaged.push(messageOf(error)));
  const gate = plan && (await gateSummary(folder.folder, plan.pi.tools).catch(noTranscript));
  const start = await recordedStart(folder.folder);
  return {
    v: 1,
    run,
    time: timeOfRunId(run) ?? '',
    state: await runState(stateRoot, run),
    folder: folder.folder,
    files: filesIn(folder.folder),
    ...(request && { prompt: request.prompt }),
    ...(plan && { plan }),
    ...(posture && { posture }),
    ...(start && { engine: start.engine, leftOut: start.leftOut }),
    ...(ledger && { ledger }),
    ...(gate && { gate }),
    ...(outcome && { outcome }),
    ...(changes && { changes }),
    ...(changesState && { changesState }),
    damaged,
  };
}

/** A run that got no further than its plan has none; what cannot be read is told by whoever reads it for itself. */
function noTranscript(error: unknown): undefined {
  if (!(error instanceof SandboxError)) throw error;
}

function attempt<T>(damaged: string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    damaged.push(error.message);
    return undefined;
  }
}

/** Contents of a change set are named after their hashes: they say nothing, and there may be many. */
function isContent(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

function filesIn(folder: string): RunDetails['files'] {
  const found: RunDetails['files'] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || isContent(entry.name) || found.length === MAX_LISTED) continue;
    const file = path.join(entry.parentPath, entry.name);
    const bytes = lstatSync(file, { throwIfNoEntry: false })?.size;
    if (bytes !== undefined) found.push({ name: path.relative(folder, file), bytes });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
