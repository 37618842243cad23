import { collectChanges } from '../changes/collect.ts';
import { MAX_DEPTH } from '../changes/limits.ts';
import { readFrom } from '../changes/start-content.ts';
import { ChangeStore } from '../changes/store.ts';
import { exportTree } from '../container/export-tree.ts';
import type { ChangeSet } from '../protocol/changes.ts';
import type { Manifest } from '../protocol/manifest.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { GitHost } from '../workspace/git-command.ts';
import { ignoredWhenNew } from '../workspace/new-ignored.ts';
import type { Selection } from '../workspace/selection.ts';
import type { InsideUser } from './teardown.ts';

/** What a run's changes are compared with and judged by. */
export interface StartOfRun {
  readonly selection: Selection;
  readonly include: readonly string[];
  readonly env: GitHost;
  /** Told of bytes of the archive when they were read. */
  readonly onPassed: ((bytes: number) => void) | undefined;
}

/** Takes the changes of a run out of its container, into an existing private folder. */
export async function takeChanges(
  target: InsideUser,
  { workspace, run }: RunPlan,
  start: Manifest,
  { selection, include, env, onPassed }: StartOfRun,
  folder: string,
): Promise<ChangeSet> {
  // One part more: what is too deep is refused by name.
  const maxParts = MAX_DEPTH + 1;
  const { archive, exit, close } = await exportTree({ ...target, path: workspace.path, maxParts });
  try {
    const { root } = workspace;
    const store = new ChangeStore(folder);
    const isIgnored = await ignoredWhenNew(selection, { include, env });
    const rules = isIgnored === undefined ? {} : { isIgnored };
    return await collectChanges({
      archive: passing(archive, onPassed),
      exit,
      start,
      readStart: readFrom(root),
      ...rules,
      store,
      run,
      root,
    });
  } finally {
    close();
  }
}

async function* passing(
  archive: AsyncIterable<Buffer>,
  onPassed: StartOfRun['onPassed'],
): AsyncGenerator<Buffer, void> {
  for await (const chunk of archive) {
    yield chunk;
    onPassed?.(chunk.length);
  }
}
