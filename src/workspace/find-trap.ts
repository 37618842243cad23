import { readdirSync } from 'node:fs';
import { joinPath } from '../lib/path-bytes.ts';
import { TimeSlice } from '../lib/slice.ts';
import { MAX_DEPTH, SLICE_MS } from './limits.ts';

/** Files that git opens by name while it lists, without looking at their type first. */
const OPENED_BY_GIT = new Set(['.gitignore', 'HEAD', 'commondir']);

/** A FIFO on which a listing by git would wait for ever. Searched only when git is slow, because it costs a whole walk. */
export async function findTrap(root: Buffer, signal: AbortSignal): Promise<Buffer | undefined> {
  const slice = new TimeSlice(SLICE_MS, signal);
  const folders = [{ path: root, depth: 0 }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    if (slice.over) await slice.pause();
    for (const found of list(next.path)) {
      if (found.isFIFO() && OPENED_BY_GIT.has(found.name.toString('latin1'))) return joinPath(next.path, found.name);
      if (found.isDirectory() && next.depth < MAX_DEPTH) {
        folders.push({ path: joinPath(next.path, found.name), depth: next.depth + 1 });
      }
    }
  }
  return undefined;
}

function list(folder: Buffer) {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch {
    return [];
  }
}
