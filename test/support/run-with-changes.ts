import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { withFolders } from './applying.ts';
import { changeSet, type Tree, writeTree } from './change-sets.ts';
import { tempFolder } from './cli.ts';
import { listing } from './listing.ts';
import { offline } from './offline.ts';
import { COMPLETED, listedPlan, writeRun } from './runs.ts';

export const RUN = '20261130T021610-3f9a2c';

/**
 * A repository and an ended run that changed it, as the command line finds them, with no engine in reach. `repo`: a
 * folder that is there already.
 */
export function runWithChanges(
  from: Tree,
  to: Tree,
  {
    repo = path.join(tempFolder(), 'repo'),
    ...more
  }: Parameters<typeof changeSet>[2] & { readonly repo?: string } = {},
) {
  const cli = offline();
  mkdirSync(repo, { recursive: true });
  writeTree(repo, from);
  const folder = writeRun(cli.home, RUN, { 'plan.json': listedPlan(repo), 'outcome.json': COMPLETED });
  const changes = path.join(folder, 'changes');
  mkdirSync(changes, { mode: 0o700 });
  const { set } = changeSet(withFolders(from), withFolders(to), { root: repo, run: RUN, folder: changes, ...more });
  return { ...cli, repo, folder, changes, set, tree: () => listing(repo) };
}
