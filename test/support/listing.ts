import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { joinPath, showPath } from '../../src/lib/path-bytes.ts';
import { sha256 } from './change-sets.ts';

/** All that lies in a folder, to compare: `file HASH`, `run HASH`, `link TARGET`, `dir`, by path as it is shown. */
export function listing(folder: string): Record<string, string> {
  const root = Buffer.from(folder);
  const found: Record<string, string> = {};
  const walk = (inner: Buffer): void => {
    for (const name of readdirSync(joinPath(root, inner), { encoding: 'buffer' })) {
      const relative = joinPath(inner, name);
      found[showPath(relative)] = entry(joinPath(root, relative));
      if (found[showPath(relative)] === 'dir') walk(relative);
    }
  };
  walk(Buffer.alloc(0));
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function entry(place: Buffer): string {
  const stats = lstatSync(place);
  if (stats.isDirectory()) return 'dir';
  if (stats.isSymbolicLink()) return `link ${showPath(readlinkSync(place, { encoding: 'buffer' }))}`;
  if (!stats.isFile()) return 'other';
  return `${(stats.mode & 0o100) === 0 ? 'file' : 'run'} ${sha256(readFileSync(place)).slice(0, 16)}`;
}
