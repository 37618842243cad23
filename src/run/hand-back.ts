import { rmSync } from 'node:fs';
import { withoutImpliedFolders } from '../changes/bare-folders.ts';
import { messageOf } from '../errors.ts';
import type { ChangeSet } from '../protocol/changes.ts';
import type { HandBack } from '../protocol/hand-back.ts';
import { type ManifestEntry, manifestKey } from '../protocol/manifest.ts';
import type { RunPlan } from '../protocol/plan.ts';
import { CHANGES_FOLDER, HAND_BACK_FILE } from '../transcript/state-root.ts';
import type { RunFiles } from './run-files.ts';
import type { StartOfRun } from './take-changes.ts';
import type { InsideUser, Keep } from './teardown.ts';

/** Reasons and refused entries that the record names. */
const MAX_NAMED = 5;

/** The way back of one run: notes what goes in, takes out what became of it, and keeps the difference. */
export class HandBackOfRun {
  readonly #start = new Map<string, ManifestEntry>();
  readonly #plan: RunPlan;
  readonly #files: RunFiles;
  readonly #startOfRun: StartOfRun;
  #begun = false;
  #result: HandBack | undefined;

  constructor(plan: RunPlan, files: RunFiles, startOfRun: StartOfRun) {
    this.#plan = plan;
    this.#files = files;
    this.#startOfRun = startOfRun;
  }

  /** Takes what was sent in, as it was sent. */
  readonly note = (entry: ManifestEntry): void => {
    this.#start.set(manifestKey(entry.path), entry);
  };

  /** From here on the agent may change something. */
  begin(): void {
    this.#begun = true;
  }

  /** Whether there may be changes that nobody has taken out. */
  get owed(): boolean {
    return this.#begun && this.#result === undefined;
  }

  /** Undefined while nothing was taken out, and where nothing could have changed. */
  get result(): HandBack | undefined {
    return this.#result;
  }

  /** Takes the changes out, if there may be any, and records them. It never rejects: what goes wrong is the result. */
  keep(target: InsideUser): Keep | undefined {
    return this.owed ? (problem) => this.#take(target, problem) : undefined;
  }

  async #take(target: InsideUser, problem: unknown): Promise<void> {
    const started = performance.now();
    try {
      if (problem !== undefined) throw problem;
      const folder = this.#files.folder.subfolder(CHANGES_FOLDER);
      // Loaded now: it is much, and the start of a run does not need it.
      const { takeChanges } = await import('./take-changes.ts');
      this.#result = summary(await takeChanges(target, this.#plan, this.#start, this.#startOfRun, folder));
      this.#files.writeJson(HAND_BACK_FILE, this.#result);
      this.#record(Math.round(performance.now() - started));
    } catch (error) {
      // Half a change set would be taken for a whole one.
      rmSync(this.#files.folder.path(CHANGES_FOLDER), { recursive: true, force: true });
      this.fail(error);
    }
  }

  /** Records that nothing can be taken out any more. */
  fail(error: unknown): void {
    this.#result = failedHandBack(messageOf(error));
    try {
      // Without the file, later commands would say that the agent could not have changed anything.
      this.#files.freeReserve();
      this.#files.writeJson(HAND_BACK_FILE, this.#result);
    } catch {
      // The record says the same.
    }
    this.#record();
  }

  #record(ms?: number): void {
    const took = ms === undefined ? {} : { ms };
    void this.#files.record({ source: 'observed', type: 'changes', ...this.#result, ...took });
  }
}

/** There is no change set, which says nothing about changes. Why, and what that means, a sentence each. */
export function failedHandBack(reason: string): HandBack {
  return { ...NOTHING, outcome: 'failed', reasons: [reason, LOST] };
}

/** Nobody can try again: the container goes with the run. */
const LOST = 'What the agent changed is lost.';

const NOTHING: Omit<HandBack, 'outcome' | 'reasons'> = {
  changed: 0,
  folders: 0,
  counts: {},
  risky: 0,
  risks: {},
  refusedCount: 0,
  refused: [],
  ignoredCount: 0,
};

function summary({ outcome, reasons, changes, refused, refusedCount, ignoredCount, digest }: ChangeSet): HandBack {
  const told = withoutImpliedFolders(changes);
  const classes = changes.flatMap(({ risks }) => [...new Set(risks.map((risk) => risk.class))]);
  return {
    outcome,
    reasons: reasons.slice(0, MAX_NAMED),
    changed: told.length,
    folders: told.filter(({ before, after }) => (after ?? before)?.type === 'dir').length,
    counts: countOf(told.map(({ kind }) => kind)),
    risky: changes.filter(({ risks }) => risks.length > 0).length,
    risks: countOf(classes),
    refusedCount,
    refused: refused.slice(0, MAX_NAMED),
    ignoredCount,
    digest,
  };
}

function countOf<T extends string>(names: readonly T[]): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
