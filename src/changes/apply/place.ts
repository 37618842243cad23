import { linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import type { FileState } from '../../protocol/changes.ts';
import { codeOf } from './code-of.ts';
import { isIn, look, sizesOf } from './look.ts';

/** What a file system answers that has no hard links, or none for this file. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'];

/** Something else is where a file was to go, or was to be. */
export class Disturbed extends Error {
  override readonly name = 'Disturbed';
}

/**
 * Gives a file or link its place, and never takes another's: with a hard link, which fails where something is. Without
 * hard links there is a moment between the look and the deed.
 */
export function put(from: Buffer, to: Buffer, { isLink }: { isLink: boolean }): void {
  // link(2) follows links on some systems.
  if (!isLink || process.platform === 'linux') {
    try {
      linkSync(from, to);
      unlinkSync(from);
      return;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw new Disturbed('something else appeared there');
      if (!NO_LINKS.includes(codeOf(error) ?? '')) throw error;
    }
  }
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw new Disturbed('something else appeared there');
  renameSync(from, to);
}

/**
 * Moves what is at a place aside and only then looks at it, so that nothing can come between; what is not in the expected
 * state goes back. @throws Disturbed
 */
export function take(from: Buffer, aside: Buffer, state: FileState): void {
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (found === undefined) throw new Disturbed('it was removed');
  if (found.isDirectory()) throw new Disturbed('it became a folder');
  renameSync(from, aside);
  if (isIn(look(aside, sizesOf(state)), state)) return;
  put(aside, from, { isLink: state.type === 'symlink' });
  throw new Disturbed('it was changed');
}
