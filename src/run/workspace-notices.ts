import { readFile } from 'node:fs/promises';
import { KiB } from '../lib/bytes.ts';
import { joinPath, showPath } from '../lib/path-bytes.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { LeftOut, LeftOutReason } from '../workspace/left-out.ts';
import { checkMount, visibleIgnored } from '../workspace/mount.ts';
import { readRegular } from '../workspace/read-regular.ts';
import type { Selection } from '../workspace/selection.ts';

/** Names that one notice shows, of all or of each reason. */
const MAX_NAMED = 5;
/** Attribute files that are looked into, and the size of one, bytes. */
const MAX_ATTRIBUTES = 100;
const MAX_ATTRIBUTES_BYTES = 64 * KiB;

/** What is known before the copy begins; what fails during it is told after it, and the user's own words need no notice. */
const REASONS: Partial<Record<LeftOutReason, string>> = {
  ignored: 'ignored by git (--include GLOB brings them)',
  'context-files': 'instructions to agents',
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
  if (plan.workspace.mode === 'copy') {
    return [...leftOutNotices('Left out of the copy', selection.leftOut), ...(await lfsNotice(selection))];
  }
  // Bytes as they are: paths in this file need not be UTF-8.
  await checkMount(plan.workspace.root, await readFile('/proc/self/mountinfo', 'latin1').catch(() => ''));
  const { count, paths } = visibleIgnored(selection);
  if (count === 0) return [];
  return [`The mount shows the agent ${count} paths that a copy would leave out, ${named(paths)} among them.`];
}

/** Files that git keeps elsewhere: what the agent sees of them is what lies on the disk, and git inside cannot fetch more. */
async function lfsNotice({ root, entries }: Selection): Promise<string[]> {
  const attributes = entries.filter(
    ({ path, type }) => type === 'file' && /(^|\/)\.gitattributes$/.test(path.toString('latin1')),
  );
  for (const { path } of attributes.slice(0, MAX_ATTRIBUTES)) {
    const content = await readRegular(joinPath(Buffer.from(root), path), MAX_ATTRIBUTES_BYTES);
    if (content === undefined || !/^[^#\n]*\sfilter=lfs(\s|$)/m.test(content.toString('latin1'))) continue;
    return [
      `Files that Git LFS keeps (${showPath(path)}) go in as they are on the disk, as content or as a pointer; the sandbox has no git-lfs.`,
    ];
  }
  return [];
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
