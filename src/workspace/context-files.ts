import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Entry } from './selection.ts';

/** Names under which pi looks for instructions in its folder, in its order: the first regular file is loaded, whole. */
const CANDIDATES = ['AGENTS.override.md', 'AGENTS.md', 'AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD'] as const;

/** Whether a name at the root would give pi instructions: wider than pi's own list, so that a later pi finds no other. */
export function isContextFile(name: string): boolean {
  return /^(agents.*|claude.*)\.md$/i.test(name);
}

/** The file that pi would load from the selected ones, with its size; a link counts with what it leads to inside the root. */
export async function findContextFiles(
  root: string,
  entries: readonly Entry[],
): Promise<{ path: string; bytes: number }[]> {
  const atRoot = new Set(entries.filter(({ path }) => !path.includes(0x2f)).map(({ path }) => path.toString('latin1')));
  for (const path of CANDIDATES) {
    if (!atRoot.has(path)) continue;
    try {
      const real = await realpath(join(root, path));
      const found = await stat(real);
      if (real.startsWith(root.endsWith(sep) ? root : root + sep) && found.isFile())
        return [{ path, bytes: found.size }];
    } catch {
      // A dangling link: pi goes on to the next name too.
    }
  }
  return [];
}
