import { act } from '../../src/changes/apply/act.ts';
import { checkChanges } from '../../src/changes/apply/check.ts';
import { JournalFile, type Step } from '../../src/changes/apply/journal.ts';
import { stage } from '../../src/changes/apply/stage.ts';
import { makeSteps } from '../../src/changes/apply/steps.ts';
import { TargetTree } from '../../src/changes/apply/tree.ts';
import type { Applying } from './applying.ts';

export interface CutAt {
  /** Contents written beside their places. */
  readonly staged: number;
  /** Steps made. */
  readonly made: number;
}

/** Does what an apply does up to a moment, and then nothing more: as after SIGKILL. Returns all its steps. */
export async function cutApply({ task, root }: Applying, at: (steps: number) => CutAt): Promise<readonly Step[]> {
  using tree = TargetTree.open(Buffer.from(root));
  const { pending } = await checkChanges(tree, task.store, task.picked, task.pause);
  const steps = makeSteps(pending, 'abcdef012345', task.umask);
  const { staged, made } = at(steps.length);
  new JournalFile(task.runFolder).write({ v: 1, run: task.set.run, digest: task.set.digest, root, steps });
  for (const step of steps.slice(0, staged)) stage(tree, task.store, step);
  for (const step of steps.slice(0, made)) act(tree, step);
  return steps;
}
