import type { Manifest, ManifestEntry } from '../protocol/manifest.ts';
import { MAX_LINK_NAMES } from './limits.ts';
import { follow } from './link-target.ts';
import { parentOf } from './path-keys.ts';

/**
 * Under which other names links of the tree lead to a path: who reads `CLAUDE.md` reads what that links to. Links of
 * the start come first, so that new ones, which are told for themselves, cannot push them out.
 */
export function linkNames(start: Manifest, end: Manifest): (key: string) => string[] {
  const links = new Map<string, string[]>();
  const at = (key: string): ManifestEntry | undefined => end.get(key) ?? start.get(key);
  for (const tree of [start, end]) {
    for (const [key, entry] of tree) {
      if (entry.type !== 'symlink' || (tree === end && start.get(key) === entry)) continue;
      const found = follow(entry, at);
      if ('why' in found) continue;
      const names = links.get(found.to) ?? [];
      if (names.length < MAX_LINK_NAMES) links.set(found.to, [...names, key]);
    }
  }
  return (key) => {
    const names = new Set<string>();
    // A name may lead through another link: `.github -> a`, `a/workflows -> ../w`.
    if (links.size > 0) addNames(key, names, links);
    // The set grows while it is walked, up to its limit.
    for (const name of names) addNames(name, names, links);
    names.delete(key);
    return [...names];
  };
}

/** Adds the names that a path has through one link of the tree. */
function addNames(key: string, names: Set<string>, links: ReadonlyMap<string, readonly string[]>): void {
  for (let folder = key; ; folder = parentOf(folder)) {
    const rest = folder === '' ? `/${key}` : key.slice(folder.length);
    for (const link of links.get(folder) ?? []) {
      if (names.size < MAX_LINK_NAMES) names.add(`${link}${rest}`);
    }
    if (folder === '' || names.size >= MAX_LINK_NAMES) return;
  }
}
