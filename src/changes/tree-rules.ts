import { showPath } from '../lib/path-bytes.ts';
import type { Manifest, ManifestEntry } from '../protocol/manifest.ts';
import { findGitFolders, isRunByGit, makesGitFolder } from './git-folders.ts';
import { leavesRoot } from './link-target.ts';
import { findCollisions } from './name-collisions.ts';
import { nameOf, parentOf, pathBytes } from './path-keys.ts';
import type { Refusals } from './refusals.ts';

type Tree = Map<string, ManifestEntry>;

/** Rules that need the whole tree. What is as it was at the start passes each of them. */
export function refuseBelowLinks(end: Tree, refusals: Refusals): void {
  const blocked = new Map<string, boolean>([['', false]]);
  const isBlocked = (folder: string): boolean => {
    const known = blocked.get(folder);
    if (known !== undefined) return known;
    const entry = end.get(folder);
    const result =
      (entry !== undefined && entry.type !== 'dir') ||
      refusals.get(folder)?.folder === false ||
      isBlocked(parentOf(folder));
    blocked.set(folder, result);
    return result;
  };
  for (const key of end.keys()) {
    if (isBlocked(parentOf(key))) refusals.add(key, 'below-link', 'What lies above it is no folder.');
  }
  prune(end, refusals);
}

export function refuseLinksToOutside(end: Tree, start: Manifest, refusals: Refusals): void {
  for (const [key, entry] of end) {
    if (entry.type !== 'symlink' || start.get(key) === entry) continue;
    const why = leavesRoot(entry, (at) => end.get(at) ?? start.get(at));
    if (why !== undefined) refusals.add(key, 'outside', `It is a link that is not followed safely: ${why}.`);
  }
  prune(end, refusals);
}

export function refuseGitFolders(end: Tree, start: Manifest, refusals: Refusals): void {
  const before = findGitFolders(start);
  const after = findGitFolders(end);
  const created = new Set([...after].filter((folder) => !before.has(folder)).sort());
  for (const folder of created) {
    if (folder === '' || start.has(folder) || refusals.covering(folder) !== undefined) continue;
    refusals.add(folder, 'git-metadata', 'git takes this new folder for a repository, and runs what is in it.', true);
  }
  for (const [key, entry] of end) {
    if (start.get(key) === entry || !created.has(parentOf(key)) || !makesGitFolder(nameOf(key))) continue;
    if (refusals.covering(key) !== undefined) continue;
    const detail = 'With it git would take the folder for a repository, and run what is in it.';
    refusals.add(key, 'git-metadata', detail, entry.type === 'dir');
  }
  for (const key of end.keys()) {
    const at = controlPath(key, before);
    if (at === undefined || end.get(key) === start.get(key)) continue;
    refusals.add(at, 'git-metadata', 'git reads here what it runs.', at !== key || end.get(key)?.type === 'dir');
  }
  prune(end, refusals);
}

/** `sub/hooks` for `sub/hooks/update`, where `sub` is a repository; undefined for all that git runs nothing of. */
function controlPath(key: string, repositories: ReadonlySet<string>): string | undefined {
  if (repositories.size === 0) return undefined;
  for (let at = key; at !== ''; at = parentOf(at)) {
    if (repositories.has(parentOf(at)) && isRunByGit(nameOf(at))) return at;
  }
  return undefined;
}

/** `others`: what else is there when the changes are applied. */
export function refuseCollisions(end: Tree, others: Iterable<string>, start: Manifest, refusals: Refusals): void {
  // Two that were there at the start are the user's own.
  if (![...end.keys()].some((key) => !start.has(key))) return;
  for (const group of findCollisions([...end.keys(), ...others])) {
    for (const key of group) {
      if (start.has(key)) continue;
      const rest = group.filter((other) => other !== key).map((other) => showPath(pathBytes(other)));
      const detail = `On a disk that ignores case or Unicode form it is one with ${rest.slice(0, 5).join(', ')}.`;
      refusals.add(key, 'name-collision', detail, end.get(key)?.type === 'dir');
    }
  }
  prune(end, refusals);
}

/** Takes out what is refused, or lies below something that is. */
function prune(end: Tree, refusals: Refusals): void {
  for (const key of end.keys()) {
    const at = refusals.covering(key);
    if (at === undefined) continue;
    end.delete(key);
    if (at !== key) refusals.addBelow(at);
  }
}
