import type { ManifestEntry } from '../protocol/manifest.ts';
import { isGitName } from './git-names.ts';
import { MAX_LINK_HOPS, MAX_PATH_BYTES } from './limits.ts';
import { parentOf } from './path-keys.ts';

/** What is at a path, as far as it is known. */
export type LookUp = (key: string) => ManifestEntry | undefined;

/**
 * Why a link does not stay inside the root, half a sentence; undefined when it does. Other links on its way are
 * followed: `a/..` leads out where `a` is a link to the root.
 */
export function leavesRoot(link: ManifestEntry, at: LookUp): string | undefined {
  let here = parentOf(link.path.toString('latin1'));
  let rest = split(link.target);
  let hops = 0;
  if (rest === undefined) return 'its target is absolute';
  while (rest.length > 0) {
    const part: string = rest.shift()!;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (here === '') return 'it leads out of the folder';
      here = parentOf(here);
      continue;
    }
    if (isGitName(part)) return 'it leads into git metadata';
    here = here === '' ? part : `${here}/${part}`;
    const found = at(here);
    if (found?.type === 'symlink') {
      hops += 1;
      const further = split(found.target);
      if (further === undefined) return 'it leads to a link whose target is absolute';
      rest = [...further, ...rest];
      if (hops > MAX_LINK_HOPS || rest.length > MAX_PATH_BYTES) return 'it leads through too many links';
      here = parentOf(here);
    } else if (found === undefined && rest.includes('..')) {
      // What is not known may be a link on the host, and then `..` leads elsewhere.
      return 'it leads through something that is not there, and back up';
    }
  }
  return undefined;
}

function split(target: Buffer | undefined): string[] | undefined {
  const parts = (target ?? Buffer.alloc(0)).toString('latin1').split('/');
  return parts[0] === '' ? undefined : parts;
}
