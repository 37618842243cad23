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
    if (links.size === 0) return [];
    const names: string[] = [];
    for (let folder = key; ; folder = parentOf(folder)) {
      const rest = folder === '' ? `/${key}` : key.slice(folder.length);
      for (const link of links.get(folder) ?? []) names.push(`${link}${rest}`);
      if (folder === '' || names.length >= MAX_LINK_NAMES) return names.slice(0, MAX_LINK_NAMES);
    }
  };
}
