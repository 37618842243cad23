import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SandboxError } from '../../errors.ts';
import { MiB } from '../../lib/bytes.ts';
import type { ChangeStore } from '../store.ts';
import type { HashName } from './repository.ts';

const CHUNK_BYTES = MiB;
const LF = 0x0a;
const CR = 0x0d;

/** Git's name for a content. */
export function blobId(hash: HashName, content: Buffer): string {
  return createHash(hash).update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Git's name for a kept content, which is checked on the way. @throws SandboxError `state` when it was altered */
export function keptBlobId(hash: HashName, store: ChangeStore, sha256: string): string {
  const fd = openSync(store.blobPath(sha256), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(fd);
    const own = createHash('sha256');
    const id = createHash(hash).update(`blob ${size}\0`);
    const chunk = Buffer.allocUnsafe(Math.min(size + 1, CHUNK_BYTES));
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
      own.update(chunk.subarray(0, read));
      id.update(chunk.subarray(0, read));
    }
    if (own.digest('hex') === sha256) return id.digest('hex');
  } finally {
    closeSync(fd);
  }
  throw new SandboxError('state', `A content of the change set was altered: ${store.blobPath(sha256)}.`);
}

/** With LF where there was CR LF. */
export function withoutCarriageReturns(content: Buffer): Buffer {
  const out = Buffer.allocUnsafe(content.length);
  let length = 0;
  for (let at = 0; at < content.length; at++) {
    if (content[at] === CR && content[at + 1] === LF) continue;
    out[length++] = content[at] ?? 0;
  }
  return out.subarray(0, length);
}
