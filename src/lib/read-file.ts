import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Room for a file whose size is not known before it is read, as in /proc, bytes. */
const UNKNOWN_BYTES = 64 << 10;

/** A file that has more bytes than are wanted of it. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/**
 * Bytes of a regular file of at most `maxBytes`. Opens without blocking, and reads no further, so a FIFO or a device in
 * the place of the file cannot hold us. Throws TooLargeError, or an Error that says what is wrong.
 */
export async function readFileWithin(
  path: string | Buffer,
  maxBytes: number,
  { follow = true }: { follow?: boolean } = {},
): Promise<Buffer> {
  // Node adds O_CLOEXEC by itself.
  await using handle = await open(
    path,
    constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW),
  );
  const stat = await handle.stat();
  if (!stat.isFile()) throw new Error('it is not a regular file');
  if (stat.size > maxBytes) throw new TooLargeError(`it has ${stat.size} bytes, more than ${maxBytes}`);
  const buffer = Buffer.alloc(Math.min(Math.max(stat.size, UNKNOWN_BYTES), maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  throw new TooLargeError(`it grew beyond ${buffer.length - 1} bytes while it was read`);
}
