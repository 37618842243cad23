import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { changeSet, type MadeSet, type Tree } from '../support/change-sets.ts';
import { offline } from '../support/offline.ts';
import { COMPLETED, listedPlan, writeRun } from '../support/runs.ts';

export const RUN = '20261130T021610-3f9a2c';

/** A finished run that changed one tree into the other, and the command line beside it. */
export function ranOver(before: Tree, after: Tree, more: Parameters<typeof changeSet>[2] = {}) {
  const cli = offline();
  const root = more.root ?? '/repo';
  const folder = writeRun(cli.home, RUN, { 'plan.json': listedPlan(root), 'outcome.json': COMPLETED });
  const changes = path.join(folder, 'changes');
  mkdirSync(changes, { mode: 0o700 });
  const made: MadeSet = changeSet(before, after, { ...more, run: RUN, root, folder: changes });
  const diff = (...args: string[]) => cli.run(['diff', RUN, ...args]);
  return { ...cli, ...made, folder, diff };
}
