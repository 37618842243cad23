import { Transform } from 'node:stream';
import { SandboxError } from '../errors.ts';

/**
 * Bytes on a stream whose end must not be mistaken for the end of the data: each piece has its length before it, four
 * bytes, big endian, and a piece of length zero says that it was all.
 */
const HEADER_BYTES = 4;
/** Longest piece, bytes. A larger length is damage and not a reason to wait. */
const MAX_PIECE_BYTES = 1 << 24;

/** Bytes to pieces, with the closing mark only when the source ended in order. */
export function framing(): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let from = 0; from < chunk.length; from += MAX_PIECE_BYTES) {
        const piece = chunk.subarray(from, from + MAX_PIECE_BYTES);
        this.push(header(piece.length));
        this.push(piece);
      }
      done();
    },
    flush(done) {
      this.push(header(0));
      done();
    },
  });
}

/** Pieces to bytes. @throws SandboxError `wire` when the stream ends before its closing mark, after all that came */
export async function* unframed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let head = Buffer.alloc(0);
  let left = 0;
  for await (let chunk of source) {
    while (chunk.length > 0) {
      if (left > 0) {
        const part = chunk.subarray(0, left);
        left -= part.length;
        chunk = chunk.subarray(part.length);
        yield part;
        continue;
      }
      const missing = HEADER_BYTES - head.length;
      head = Buffer.concat([head, chunk.subarray(0, missing)]);
      chunk = chunk.subarray(missing);
      if (head.length < HEADER_BYTES) continue;
      left = head.readUInt32BE();
      head = Buffer.alloc(0);
      if (left === 0) return;
      if (left > MAX_PIECE_BYTES) throw new SandboxError('wire', 'The stream is damaged: a piece is too long.');
    }
  }
  throw new SandboxError('wire', 'The output ended before it was complete.', {
    hint: 'The run or its container ended meanwhile.',
  });
}

function header(length: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32BE(length);
  return bytes;
}
