import type { ManifestEntry } from '../protocol/manifest.ts';
import { isGitName } from './git-names.ts';
import { MAX_LINK_HOPS, MAX_LINK_PARTS, MAX_UNKNOWN_PARTS } from './limits.ts';
import { parentOf } from './path-keys.ts';

/** What is at a path, as far as it is known. */
export type LookUp = (key: string) => ManifestEntry | undefined;

/** Why a link does not stay inside the root, half a sentence; undefined when it does. */
export function leavesRoot(link: ManifestEntry, at: LookUp): string | undefined {
  const end = follow(link, at);
  return 'why' in end ? end.why : undefined;
}

/**
 * The key where a link leads to inside the root, or why it leads nowhere there. Other links on its way are followed:
 * `a/..` leads out where `a` is a link to the root.
 */
export function follow(link: ManifestEntry, at: LookUp): { readonly to: string } | { readonly why: string } {
  let here = parentOf(link.path.toString('latin1'));
  // The next part is the last: tens of thousands of links can be followed then, however long each is.
  const rest = split(link.target)?.toReversed();
  if (rest === undefined) return { why: 'its target is absolute' };
  let unknown = 0;
  for (let hops = 0; rest.length > 0; ) {
    if (hops > MAX_LINK_HOPS || rest.length > MAX_LINK_PARTS)
      return { why: 'it leads through too many links or folders' };
    const part: string = rest.pop()!;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (here === '') return { why: 'it leads out of the folder' };
      here = parentOf(here);
      continue;
    }
    if (isGitName(part)) return { why: 'it leads into git metadata' };
    here = here === '' ? part : `${here}/${part}`;
    const found = at(here);
    if (found?.type === 'symlink') {
      hops += 1;
      const further = split(found.target);
      if (further === undefined) return { why: 'it leads to a link whose target is absolute' };
      rest.push(...further.reverse());
      here = parentOf(here);
    } else if (found === undefined) {
      // What is not known may be a link on the host, and then `..` leads elsewhere.
      if (rest.includes('..')) return { why: 'it leads through something that is not there, and back up' };
      unknown += 1;
      if (unknown > MAX_UNKNOWN_PARTS) return { why: 'it leads through too many folders that are not there' };
    }
  }
  return { to: here };
}

function split(target: Buffer | undefined): string[] | undefined {
  const parts = (target ?? Buffer.alloc(0)).toString('latin1').split('/');
  return parts[0] === '' ? undefined : parts;
}
