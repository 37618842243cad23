import { parsePath } from '../../lib/path-bytes.ts';
import type { ChangeStore } from '../store.ts';
import { removeOld } from './finish.ts';
import { JournalFile } from './journal.ts';
import { FolderProblem, TargetTree } from './tree.ts';
import { undo } from './undo.ts';

export interface Recovered {
  /**
   * `finished`: all was written before the end came. `undone`: nothing of it is left. Still on record, for the next
   * command to try: `unfinished`, where the system refused some of it, and `unreachable`, where the target is no folder now.
   */
  readonly end: 'finished' | 'undone' | 'unfinished' | 'unreachable';
  /** Target, escaped. */
  readonly target: string;
  /** What could not be put right, a sentence each. */
  readonly left: readonly string[];
}

/**
 * Ends an apply that was cut off. The caller has made sure that it does not go on. Undefined when there is none.
 *
 * @throws SandboxError `state` when the journal is damaged
 */
export async function recoverApply(runFolder: string, store: ChangeStore): Promise<Recovered | undefined> {
  const file = new JournalFile(runFolder);
  const found = file.read();
  if (found === undefined) return undefined;
  const { journal, done } = found;
  let tree: TargetTree;
  try {
    tree = TargetTree.open(parsePath(journal.root));
  } catch (error) {
    if (!(error instanceof FolderProblem)) throw error;
    return { end: 'unreachable', target: journal.root, left: [] };
  }
  using _ = tree;
  if (done) {
    const left = removeOld(tree, journal.steps);
    file.remove();
    return { end: 'finished', target: journal.root, left };
  }
  const { left, failed } = await undo(tree, store, journal.steps, async () => {});
  if (!failed) file.remove();
  return { end: failed ? 'unfinished' : 'undone', target: journal.root, left };
}
