import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Type declarations and source maps: more than half of the files that npm installs, and no program reads them. */
const UNREAD = /\.(d\.[cm]?ts|map)$/;

/** Removes from an installation what only editors and debuggers read: the build has less to send, and the image to hold. */
export async function removeUnread(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeUnread(path);
    else if (entry.isFile() && UNREAD.test(entry.name)) await rm(path);
  }
}
