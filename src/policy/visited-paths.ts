import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';

/** Links that one path may lead through, as many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Every path that opening this one leads through, links followed one by one; the last is where it ends. What does not exist
 * counts as it is written. Rejects with an Error when there are too many links.
 */
export async function visitedPaths(path: string): Promise<string[]> {
  const visited: string[] = [];
  let links = 0;
  const rest = resolve(path).split(sep);
  // Free of links at any time, so that ".." is the folder above.
  let at: string = sep;
  while (rest.length > 0) {
    const name = rest.shift()!;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    visited.push(next);
    const target = await linkTarget(next);
    if (target === undefined) at = next;
    else {
      if (++links > MAX_LINKS) throw new Error('its path leads through too many links');
      if (isAbsolute(target)) at = sep;
      rest.unshift(...target.split(sep));
    }
  }
  visited.push(at);
  return visited;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isSymbolicLink() ? await readlink(path) : undefined;
  } catch {
    return undefined;
  }
}
