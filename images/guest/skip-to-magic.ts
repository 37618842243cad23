import type { Readable } from 'node:stream';
import { WIRE_MAGIC } from '../../src/protocol/wire.ts';

/** Bytes that may stand in front of the magic: the body of an attach request, which some engines put there. */
export const MAX_PREAMBLE_BYTES = 64 * 1024;

/** Discards input up to and including the magic. Resolves with what was read beyond it; leaves the input paused. */
export function skipToMagic(input: Readable): Promise<Buffer> {
  const magic = Buffer.from(WIRE_MAGIC);
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      seen = Buffer.concat([seen, chunk]);
      const at = seen.indexOf(magic);
      if (at < 0 && seen.length <= MAX_PREAMBLE_BYTES) return;
      input.pause();
      input.off('data', onData);
      if (at < 0) reject(new Error(`no start of the wire in the first ${seen.length} bytes`));
      else resolve(seen.subarray(at + magic.length));
    };
    input.on('data', onData);
  });
}
