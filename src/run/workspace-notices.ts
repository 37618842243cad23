import { readFile } from 'node:fs/promises';
import type { RunPlan } from '../protocol/plan.ts';
import type { LeftOut, LeftOutReason } from '../workspace/left-out.ts';
import { checkMount, visibleIgnored } from '../workspace/mount.ts';
import type { Selection } from '../workspace/selection.ts';

/** Names that one notice shows, of all or of each reason. */
const MAX_NAMED = 5;

/** What is known before the copy begins; what fails during it is told after it, and the user's own words need no notice. */
const REASONS: Partial<Record<LeftOutReason, string>> = {
  ignored: 'ignored by git (--include GLOB brings them)',
  'project-files': 'project files of pi',
  'submodule-uninitialised': 'submodules without content',
  mount: 'other file systems',
  fifo: 'named pipes',
  socket: 'sockets',
  device: 'devices',
};

/**
 * What the chosen way into the sandbox leaves out, or shows beyond that. Rejects with SandboxError `repository` where a
 * mount would not be read-only all through.
 */
export async function workspaceNotices(plan: RunPlan, selection: Selection): Promise<string[]> {
  if (plan.workspace.mode === 'copy') return leftOutNotices('Left out of the copy', selection.leftOut);
  // Bytes as they are: paths in this file need not be UTF-8.
  await checkMount(plan.workspace.root, await readFile('/proc/self/mountinfo', 'latin1').catch(() => ''));
  const { count, paths } = visibleIgnored(selection);
  if (count === 0) return [];
  return [`The mount shows the agent ${count} paths that a copy would leave out, ${named(paths)} among them.`];
}

/** One sentence for each reason that has any. */
export function leftOutNotices(what: string, { counts, list }: LeftOut): string[] {
  return Object.entries(REASONS).flatMap(([reason, words]) => {
    const count = counts[reason as LeftOutReason] ?? 0;
    if (count === 0) return [];
    const paths = list.filter((item) => item.reason === reason).map(({ path }) => path);
    return [`${what}, ${words}: ${named(paths)}${count > MAX_NAMED ? `, and ${count - MAX_NAMED} more` : ''}.`];
  });
}

function named(paths: readonly string[]): string {
  return paths.slice(0, MAX_NAMED).join(', ');
}
