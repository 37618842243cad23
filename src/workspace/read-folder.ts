import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { joinPath } from '../lib/path-bytes.ts';

/** A name in a folder with what lstat says of it; `stat` is undefined where it vanished or cannot be looked at. */
export interface Found {
  readonly name: Buffer;
  readonly stat: Stats | undefined;
  readonly problem: 'vanished' | 'unreadable' | undefined;
}

/**
 * Names of a folder in byte order, or why it cannot be read. Synchronous: a call takes some microseconds, while a
 * trip through the thread pool takes ten times as long, and this is on the way of every start.
 */
export function readNames(path: Buffer): Buffer[] | 'vanished' | 'unreadable' {
  try {
    return readdirSync(path, { encoding: 'buffer' }).sort(Buffer.compare);
  } catch (error) {
    return problemOf(error);
  }
}

export function look(folder: Buffer, name: Buffer): Found {
  try {
    const stat = lstatSync(joinPath(folder, name));
    return { name, stat, problem: undefined };
  } catch (error) {
    return { name, stat: undefined, problem: problemOf(error) };
  }
}

/** Bytes that a link points to, or undefined where it is no link any more. */
export function readTarget(path: Buffer): Buffer | undefined {
  try {
    return readlinkSync(path, { encoding: 'buffer' });
  } catch {
    return undefined;
  }
}

function problemOf(error: unknown): 'vanished' | 'unreadable' {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'vanished' : 'unreadable';
}
