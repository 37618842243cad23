import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { SandboxError } from '../errors.ts';
import { ChangeState } from '../protocol/change-state.ts';
import { HandBack } from '../protocol/hand-back.ts';
import { Outcome } from '../protocol/outcome.ts';
import { readJsonFile } from './private-file.ts';
import { cannot, checkPrivateFolder, codeOf } from './private-folder.ts';
import { isRunId, timeOfRunId } from './run-id.ts';
import { CHANGES_STATE_FILE, HAND_BACK_FILE, runsFolder } from './state-root.ts';

/** What can be said about a run from its folder alone. Absent fields were not written, or are damaged. */
export interface RunSummary {
  readonly id: string;
  /** Absolute path of the run folder. */
  readonly folder: string;
  /** Start, ISO 8601 in UTC. */
  readonly time: string;
  /** Real path of the repository. */
  readonly repo?: string;
  readonly profile?: string;
  readonly model?: string;
  /** Absent while the run goes on, and when its controller was killed. */
  readonly outcome?: Outcome;
  /** Absent where the run could change nothing, too. */
  readonly changes?: HandBack;
  /** Absent while the changes wait. */
  readonly changesState?: ChangeState;
}

/** The part of a plan that a list shows; plans of other versions are listed too. */
const ListedPlan = Type.Object({
  profile: Type.String(),
  model: Type.Object({ spec: Type.String() }),
  workspace: Type.Object({ root: Type.String() }),
});
const MAX_CANDIDATES = 5;
const LIST_HINT = 'pi-sandbox ls shows the runs.';

/** All runs, oldest first. Damaged runs are listed as far as they can be read. @throws SandboxError `state` */
export function listRuns(stateRoot: string): RunSummary[] {
  return runIds(stateRoot).map((id) => summarise(stateRoot, id));
}

/** Folder of a run, absolute; the id is not checked and need not exist. */
export function runFolderOf(stateRoot: string, run: string): string {
  return join(runsFolder(stateRoot), run);
}

/** Undefined when the run has none yet, or it is damaged. */
export function readOutcome(stateRoot: string, run: string): Outcome | undefined {
  return readLeniently(runFolderOf(stateRoot, run), 'outcome.json', Outcome);
}

/**
 * Ids of runs that had begun and have no outcome: they go on, or were lost. A folder without a plan belongs to a run that
 * has not begun; its controller listens before it writes the plan.
 */
export function unfinishedRuns(stateRoot: string): string[] {
  const has = (id: string, name: string): boolean => existsSync(join(runFolderOf(stateRoot, id), name));
  return runIds(stateRoot).filter((id) => has(id, 'plan.json') && !has(id, 'outcome.json'));
}

/** Ids of runs in whose folder there is a file of this name. @throws SandboxError `state` */
export function runsWith(stateRoot: string, name: string): string[] {
  return runIds(stateRoot).filter((id) => existsSync(join(runFolderOf(stateRoot, id), name)));
}

/**
 * A run by id, unique prefix, or `last`: the newest, of `repo` only where it is given.
 *
 * @throws SandboxError `usage` when there is none or more than one, naming the candidates
 */
export function findRun(stateRoot: string, ref: string, options: { readonly repo?: string } = {}): RunSummary {
  if (ref === 'last') return lastRun(stateRoot, options.repo);
  const found = runIds(stateRoot).filter((id) => id.startsWith(ref));
  const [only] = found;
  if (ref === '' || only === undefined)
    throw new SandboxError('usage', `There is no run "${ref}".`, { hint: LIST_HINT });
  if (found.length === 1) return summarise(stateRoot, only);
  const named = found.slice(-MAX_CANDIDATES).join(', ');
  const more = found.length > MAX_CANDIDATES ? ` and ${found.length - MAX_CANDIDATES} older ones` : '';
  throw new SandboxError('usage', `"${ref}" stands for ${found.length} runs: ${named}${more}.`, {
    hint: 'Give more characters of the id.',
  });
}

function lastRun(stateRoot: string, repo: string | undefined): RunSummary {
  for (const id of runIds(stateRoot).reverse()) {
    const summary = summarise(stateRoot, id);
    if (repo === undefined || summary.repo === repo) return summary;
  }
  const where = repo === undefined ? '' : ` of ${repo}`;
  throw new SandboxError('usage', `There is no run${where} yet.`, { hint: LIST_HINT });
}

function runIds(stateRoot: string): string[] {
  const folder = runsFolder(stateRoot);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw cannot('list', folder, error);
  }
  for (const part of [stateRoot, folder]) checkPrivateFolder(part);
  return names.filter(isRunId).sort();
}

function summarise(stateRoot: string, id: string): RunSummary {
  const folder = runFolderOf(stateRoot, id);
  const plan = readLeniently(folder, 'plan.json', ListedPlan);
  const outcome = readOutcome(stateRoot, id);
  const changes = readLeniently(folder, HAND_BACK_FILE, HandBack);
  const changesState = readLeniently(folder, CHANGES_STATE_FILE, ChangeState);
  return {
    id,
    folder,
    time: timeOfRunId(id) ?? '',
    ...(plan && { repo: plan.workspace.root, profile: plan.profile, model: plan.model.spec }),
    ...(outcome && { outcome }),
    ...(changes && { changes }),
    ...(changesState && { changesState }),
  };
}

function readLeniently<T extends TSchema>(folder: string, name: string, schema: T): Static<T> | undefined {
  try {
    checkPrivateFolder(folder);
    return readJsonFile(join(folder, name), schema);
  } catch (error) {
    if (error instanceof SandboxError) return undefined;
    throw error;
  }
}
