import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SandboxError } from '../errors.ts';
import { KiB } from '../lib/bytes.ts';
import type { ChangeStore } from './store.ts';

const CHUNK_BYTES = 256 * KiB;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/**
 * A kept content piece by piece, checked against its hash before the last piece is handed on. Each piece is a buffer of
 * its own.
 *
 * @throws SandboxError `state` when it is missing or another
 */
export function* blobChunks(store: ChangeStore, sha256: string, size: number): Generator<Buffer, void> {
  const file = store.blobPath(sha256);
  if (size === 0) {
    if (sha256 !== EMPTY_SHA256) throw altered(file);
    return;
  }
  const hash = createHash('sha256');
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw new SandboxError('state', `A content of the change set cannot be read: ${file}.`, { cause });
  }
  try {
    if (fstatSync(fd).size !== size) throw altered(file);
    for (let done = 0; done < size; ) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size - done));
      const read = readSync(fd, chunk, 0, chunk.length, done);
      if (read === 0) throw altered(file);
      const piece = chunk.subarray(0, read);
      hash.update(piece);
      done += read;
      if (done === size && hash.digest('hex') !== sha256) throw altered(file);
      yield piece;
    }
  } finally {
    closeSync(fd);
  }
}

function altered(file: string): SandboxError {
  return new SandboxError(
    'state',
    `A content of the change set was altered: ${file} does not have the hash it is named after.`,
  );
}
