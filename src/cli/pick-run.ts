import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { findRun, listRuns, type RunSummary } from '../transcript/run-list.ts';
import { currentFolder } from './current-folder.ts';
import { environment } from './environment.ts';
import { say } from './print.ts';

/**
 * The run that a command is about. `last` means the newest of the repository that the current folder is in, else the
 * newest of all; what was chosen is said.
 */
export function pickRun(ref: string): RunSummary {
  const { stateRoot } = environment;
  if (ref !== 'last') return findRun(stateRoot, ref);
  const repo = repositoryAround(currentFolder(), new Set(listRuns(stateRoot).map((run) => run.repo)));
  const found = findRun(stateRoot, 'last', repo === undefined ? {} : { repo });
  say(`Run ${found.id} (last of ${repo ?? 'all'})`);
  return found;
}

/** Whether `last` typed in this folder will mean a run of this repository when it has ended. */
export function isLastHere(repo: string): boolean {
  const [here, root] = [currentFolder(), repo].map((folder) => realpathSync(folder));
  if (here === root) return true;
  const repos = listRuns(environment.stateRoot).map((run) => run.repo);
  const around = repositoryAround(currentFolder(), new Set([...repos, root]));
  return around === undefined || around === root;
}

/** The nearest folder from here upwards that is a git repository or had a run. */
export function repositoryAround(cwd: string, repos: ReadonlySet<string | undefined>): string | undefined {
  let folder = realpathSync(cwd);
  for (;;) {
    if (repos.has(folder) || existsSync(path.join(folder, '.git'))) return folder;
    const parent = path.dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
}
