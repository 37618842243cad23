import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { KiB } from '../lib/bytes.ts';
import { joinPath } from '../lib/path-bytes.ts';
import type { ManifestEntry } from '../protocol/manifest.ts';
import type { ContentKeeper } from './content-keeper.ts';

/** Pieces of the file at a path as it is now; undefined where there is none that can be read. */
export type StartReader = (path: Buffer) => Iterable<Buffer> | undefined;

const PIECE_BYTES = 256 * KiB;

/** Reads regular files below this folder. Links are not followed at the end; what is read counts only by its hash. */
export function readFrom(root: string): StartReader {
  return (path) => {
    let fd: number;
    try {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      fd = openSync(joinPath(Buffer.from(root), path), flags);
    } catch {
      return undefined;
    }
    return pieces(fd);
  };
}

function* pieces(fd: number): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    if (!fstatSync(fd).isFile()) return;
    for (;;) {
      const read = readSome(fd, piece);
      if (read === 0) return;
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(fd);
  }
}

/** How many bytes came; a disk that fails ends a file like its end does, and the hash tells. */
function readSome(fd: number, piece: Buffer): number {
  try {
    return readSync(fd, piece, 0, piece.length, null);
  } catch {
    return 0;
  }
}

/** Keeps what a file held when it was sent in, if that can still be read; says whether it is kept. */
export function keepStartContent(entry: ManifestEntry, read: StartReader, keeper: ContentKeeper): boolean {
  const { sha256, size } = entry;
  if (sha256 === undefined) return false;
  if (keeper.has(sha256)) return true;
  keeper.begin(size);
  try {
    let left = size;
    for (const piece of read(entry.path) ?? []) {
      left -= piece.length;
      if (left < 0) break;
      keeper.write(piece);
    }
    return left === 0 && keeper.finish() === sha256 && keeper.keep(sha256) === 'kept';
  } finally {
    keeper.drop();
  }
}
