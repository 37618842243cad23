import { existsSync } from 'node:fs';
import { SandboxError } from '../errors.ts';
import { handsBack } from '../plan/profiles.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { RunPlan } from '../protocol/plan.ts';
import { readLedger } from '../transcript/read-ledger.ts';
import { RunFolder } from '../transcript/run-folder.ts';
import { CHANGES_FOLDER, HAND_BACK_FILE } from '../transcript/state-root.ts';
import { Transcript } from '../transcript/transcript.ts';
import { failedHandBack } from './hand-back.ts';

/**
 * Writes the outcome of a run whose controller is gone, once, whoever else tries at the same moment. False when it has
 * one already or its folder cannot be used. The caller has made sure that the controller does not answer.
 */
export async function closeLostRun(stateRoot: string, run: string, reason: string, now: () => Date): Promise<boolean> {
  const outcome: Outcome = { outcome: 'sandbox_failed', exitCode: 5, reason };
  try {
    const folder = RunFolder.open(stateRoot, run);
    if (!folder.createJson('outcome.json', outcome)) return false;
    // It must not keep the outcome from being told, whatever state the other files are in.
    await endHandBack(folder).catch(() => {});
    const totals = await readLedger(folder.folder).catch(() => undefined);
    if (!existsSync(folder.path('events.jsonl'))) return true;
    const transcript = Transcript.open(folder, run, { maxBytes: Number.MAX_SAFE_INTEGER, now });
    const { requests, usage, costUsd, estimated } = totals ?? {};
    transcript.append({
      source: 'observed',
      type: 'outcome',
      ...outcome,
      requests,
      usage,
      costUsd,
      estimated,
      recovered: true,
    });
    transcript.close();
    return true;
  } catch (error) {
    if (error instanceof SandboxError) return false;
    throw error;
  }
}

/** What the agent changed went with the sandbox, unless all of it was taken out before. */
async function endHandBack(folder: RunFolder): Promise<void> {
  const { ChangeStore } = await import('../changes/store.ts');
  if (new ChangeStore(folder.path(CHANGES_FOLDER)).discardUnfinished()) return;
  const plan = folder.readJson('plan.json', RunPlan);
  if (plan === undefined || !handsBack(plan)) return;
  folder.createJson(HAND_BACK_FILE, failedHandBack('The controller ended before they were, and the sandbox with it.'));
}
