import { showPath } from '../lib/path-bytes.ts';
import type { FileState } from '../protocol/changes.ts';
import type { ManifestEntry } from '../protocol/manifest.ts';

/** As git sees it: the owner's bit, and no other. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** What a change set says of an entry. */
export function stateOf(entry: ManifestEntry): FileState {
  if (entry.type === 'dir') return { type: 'dir' };
  if (entry.type === 'symlink') return { type: 'symlink', target: showPath(entry.target ?? Buffer.alloc(0)) };
  return { type: 'file', executable: isExecutable(entry.mode), size: entry.size, sha256: entry.sha256 ?? '' };
}
