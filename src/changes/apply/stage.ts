import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lchownSync,
  openSync,
  readSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { MiB } from '../../lib/bytes.ts';
import { parsePath } from '../../lib/path-bytes.ts';
import { blobChunks } from '../blob-chunks.ts';
import type { ChangeStore } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Step } from './journal.ts';
import type { TargetTree } from './tree.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Nobody else reads a content before its mode is known. */
const PRIVATE = 0o600;
const CHUNK_BYTES = MiB;
const PERMISSIONS = 0o777;

/** Writes the new content of a step under the name where it waits. False: its owner could not be kept. */
export function stage(tree: TargetTree, store: ChangeStore, step: Step): boolean {
  const { fresh, after } = step;
  if (fresh === undefined) return true;
  return tree.within(parsePath(step.home), (at, home) => {
    const place = at(Buffer.from(fresh));
    const owner = ownerOf(step.rights, home);
    let kept = true;
    if (after?.type === 'symlink') {
      symlinkSync(parsePath(after.target), place);
      if (owner !== undefined) kept = gives(() => lchownSync(place, owner.uid, owner.gid));
    } else if (after?.type === 'file') {
      const fd = openSync(place, CREATE, PRIVATE);
      try {
        for (const piece of blobChunks(store, after.sha256, after.size)) {
          for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
        }
        kept = own(fd, owner);
        fchmodSync(fd, step.mode ?? PRIVATE);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    }
    return kept;
  });
}

/** Of a replaced file its own; of a new one, where an administrator works in the tree of somebody else, the folder's. */
export function ownerOf(rights: Owner | undefined, folder: number): Owner | undefined {
  if (rights !== undefined) return rights;
  return process.geteuid?.() === 0 ? fstatSync(folder) : undefined;
}

function own(fd: number, owner: Owner | undefined): boolean {
  if (owner === undefined) return true;
  const { uid, gid } = fstatSync(fd);
  if (uid === owner.uid && gid === owner.gid) return true;
  if (gives(() => fchownSync(fd, owner.uid, owner.gid))) return true;
  gives(() => fchownSync(fd, uid, owner.gid));
  return false;
}

/** Whether it was permitted. */
export function gives(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EPERM' || codeOf(error) === 'EINVAL' || codeOf(error) === 'ENOTSUP') return false;
    throw error;
  }
}

/** Whether a file holds the beginning, or all, of a content. */
export function isPrefix(file: Buffer, blob: string): boolean {
  const [a, b] = [
    openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
    openSync(blob, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
  ];
  try {
    const { size } = fstatSync(a);
    const [left, right] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
    for (let at = 0; at < size; ) {
      const read = readSync(a, left, 0, CHUNK_BYTES, at);
      if (read === 0) return true;
      if (readSync(b, right, 0, read, at) !== read) return false;
      if (left.compare(right, 0, read, 0, read) !== 0) return false;
      at += read;
    }
    return true;
  } finally {
    closeSync(a);
    closeSync(b);
  }
}

/** Permission bits of an open file. */
export function modeOfOpen(fd: number): number {
  return fstatSync(fd).mode & PERMISSIONS;
}
