import { createHash } from 'node:crypto';
import { blobChunks } from '../blob-chunks.ts';
import type { ChangeStore } from '../store.ts';
import type { HashName } from './repository.ts';

const LF = 0x0a;
const CR = 0x0d;

/** Git's name for a content. */
export function blobId(hash: HashName, content: Buffer): string {
  return createHash(hash).update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Git's name for a kept content, which is checked on the way. @throws SandboxError `state` when it was altered */
export function keptBlobId(hash: HashName, store: ChangeStore, file: { sha256: string; size: number }): string {
  const id = createHash(hash).update(`blob ${file.size}\0`);
  for (const piece of blobChunks(store, file.sha256, file.size)) id.update(piece);
  return id.digest('hex');
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
