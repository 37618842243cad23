import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { MiB } from '../../lib/bytes.ts';
import { showPath } from '../../lib/path-bytes.ts';
import type { FileState } from '../../protocol/changes.ts';
import { codeOf } from './code-of.ts';

/** What is found at a path. */
export type Seen =
  | { readonly type: 'none' }
  /** FIFO, device, socket, or a file that cannot be read. */
  | { readonly type: 'other'; readonly what: string }
  | ({ readonly type: 'dir' } & Rights)
  | { readonly type: 'symlink'; readonly target: string; readonly uid: number; readonly gid: number }
  | ({ readonly type: 'file'; readonly size: number; readonly links: number; readonly sha256?: string } & Rights);

export interface Rights {
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const CHUNK_BYTES = MiB;
const PERMISSIONS = 0o777;
const OWNER_EXECUTES = 0o100;

/** Looks without following a link and without blocking. A file is only read when it has one of the sizes given. */
export function look(place: Buffer, sizes: readonly number[]): Seen {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return { type: 'none' };
  const { uid, gid } = found;
  if (found.isDirectory()) return { type: 'dir', mode: found.mode & PERMISSIONS, uid, gid };
  if (found.isSymbolicLink()) {
    return { type: 'symlink', target: showPath(readlinkSync(place, { encoding: 'buffer' })), uid, gid };
  }
  if (!found.isFile()) return { type: 'other', what: 'is neither a file, a folder nor a link' };
  return lookInto(place, sizes);
}

function lookInto(place: Buffer, sizes: readonly number[]): Seen {
  let fd: number;
  try {
    fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { type: 'none' };
    return { type: 'other', what: `cannot be read: ${codeOf(error) ?? String(error)}` };
  }
  try {
    const { mode, uid, gid, size, nlink } = fstatSync(fd);
    const facts = { type: 'file', mode: mode & PERMISSIONS, uid, gid, size, links: nlink } as const;
    return sizes.includes(size) ? { ...facts, sha256: hashOf(fd, size) } : facts;
  } finally {
    closeSync(fd);
  }
}

/** Lower-case hex SHA-256 of an open file from its beginning. */
export function hashOf(fd: number, size: number): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(Math.min(size + 1, CHUNK_BYTES));
  for (let at = 0, read = 1; read > 0; at += read) {
    read = readSync(fd, chunk, 0, chunk.length, at);
    hash.update(chunk.subarray(0, read));
  }
  return hash.digest('hex');
}

/** Whether this is in a state as far as type and content go; nothing is a state too. */
export function isIn(seen: Seen, state: FileState | undefined): boolean {
  if (state === undefined) return seen.type === 'none';
  if (state.type === 'file') return seen.type === 'file' && seen.sha256 === state.sha256;
  if (state.type === 'symlink') return seen.type === 'symlink' && seen.target === state.target;
  return seen.type === 'dir';
}

/** The executable bit as git sees it: the owner's. */
export function executes(mode: number): boolean {
  return (mode & OWNER_EXECUTES) !== 0;
}

/** Sizes of the files among states. */
export function sizesOf(...states: readonly (FileState | undefined)[]): number[] {
  return states.flatMap((state) => (state?.type === 'file' ? [state.size] : []));
}
