import type { Patch } from '../../changes/patch.ts';
import { SandboxError } from '../../errors.ts';
import type { ChangeSetView } from '../../protocol/change-view.ts';
import { printJson, printJsonWithBytes } from '../print.ts';
import type { Shown } from './shown.ts';

/** Prints one ChangeSetView. Its patch goes out as it is made. */
export async function printSet({ set, changes, named, patchOf }: Shown): Promise<void> {
  const value = { ...set, changes: [...changes], ...(named.length === 0 ? {} : { paths: [...named] }) };
  let patch: Patch;
  try {
    patch = await patchOf(changes);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const view: ChangeSetView = { ...value, notInPatch: [], patchProblem: error.message, patch: null };
    printJson(view);
    return;
  }
  const view: Omit<ChangeSetView, 'patch'> = { ...value, notInPatch: [...patch.left] };
  await printJsonWithBytes(view, 'patch', patch.bytes());
}
