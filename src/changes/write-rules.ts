import { parsePath } from '../lib/path-bytes.ts';
import type { Change } from '../protocol/changes.ts';
import { type ManifestEntry, manifestKey } from '../protocol/manifest.ts';
import { leavesRoot } from './link-target.ts';
import { findPathProblem } from './path-rules.ts';

/** Whatever a link leads through, for the rules that need no look at it: the whole tree was judged when it came out. */
const SOME_FOLDER: ManifestEntry = { path: Buffer.alloc(0), type: 'dir', mode: 0, size: 0 };

/**
 * Why a change is made nowhere, half a sentence; undefined when it may be. The rules for what is taken out hold again
 * for what is written, so that a change set that was made up leads no further.
 */
export function findWriteProblem({ path, after }: Change): string | undefined {
  const bytes = parsePath(path);
  const problem = findPathProblem(manifestKey(bytes));
  if (problem !== undefined) return `is never written to. ${problem.detail}`;
  if (after?.type !== 'symlink') return undefined;
  const link: ManifestEntry = { path: bytes, type: 'symlink', mode: 0, size: 0, target: parsePath(after.target) };
  const leads = leavesRoot(link, () => SOME_FOLDER);
  return leads === undefined ? undefined : `is a link that is never made: ${leads}`;
}
