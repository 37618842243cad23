import { readFileWithin } from '../lib/read-file.ts';

/** Bytes of a regular file, or undefined where there is none, it is larger than `maxBytes`, or it cannot be read. */
export async function readRegular(
  path: string | Buffer,
  maxBytes: number,
  options: { follow?: boolean } = {},
): Promise<Buffer | undefined> {
  return readFileWithin(path, maxBytes, options).catch(() => undefined);
}
