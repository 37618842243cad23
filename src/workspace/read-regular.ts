import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Bytes of a regular file, or undefined where there is none, it is larger than `maxBytes`, or it cannot be read.
 * Opens without blocking, so a FIFO or a device in the place of the file cannot hold us.
 */
export async function readRegular(
  path: string | Buffer,
  maxBytes: number,
  { follow = true }: { follow?: boolean } = {},
): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW));
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(stat.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}
