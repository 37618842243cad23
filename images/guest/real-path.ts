import { lstatSync, readlinkSync } from 'node:fs';

/** As the kernel counts: more links on the way than this are a loop. */
const MAX_LINKS = 40;

/**
 * The file that opening or creating this absolute path reaches, all links followed. Of what does not exist the rest is
 * kept as it stands; a link to something that does not exist leads there all the same, since writing would create it.
 * Undefined when it cannot be told: a loop, or a path that no file can have.
 *
 * Node's own `realpath` gives up at the first missing part. Names are handled as bytes (Latin-1), since a link may lie
 * behind a name that is not UTF-8.
 */
export function realPathOf(path: string): string | undefined {
  if (path.includes('\0')) return undefined;
  const waiting = partsOf(Buffer.from(path, 'utf8').toString('latin1')).reverse();
  let at = '';
  let links = 0;
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === '..') {
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
      continue;
    }
    const next = `${at}/${part}`;
    const target = linkTarget(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > MAX_LINKS) return undefined;
    if (target.startsWith('/')) at = '';
    waiting.push(...partsOf(target).reverse());
  }
  return Buffer.from(at || '/', 'latin1').toString('utf8');
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** Where a link points; undefined of everything else, what is missing and what may not be looked at included. */
function linkTarget(path: string): string | undefined {
  const bytes = Buffer.from(path, 'latin1');
  try {
    if (!lstatSync(bytes).isSymbolicLink()) return undefined;
    return readlinkSync(bytes, { encoding: 'buffer' }).toString('latin1');
  } catch {
    return undefined;
  }
}
