import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Header, type Pack, pack } from 'tar-stream';

/**
 * A folder as the tar stream of a build context. Sorted, owned by root, writable by nobody else and without times, so
 * that equal content gives equal bytes and the engine's build cache holds.
 */
export function contextStream(folder: string, signal: AbortSignal): Readable {
  const archive = pack();
  const abort = (): void => archive.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  addFolder(archive, folder, '')
    .then(() => archive.finalize())
    .catch((error: Error) => archive.destroy(error))
    .finally(() => signal.removeEventListener('abort', abort));
  return Readable.from(archive, { objectMode: false });
}

async function addFolder(archive: Pack, root: string, inside: string): Promise<void> {
  for (const name of (await readdir(join(root, inside))).sort()) {
    const path = inside === '' ? name : `${inside}/${name}`;
    const stats = await lstat(join(root, path));
    const header = {
      name: path,
      uid: 0,
      gid: 0,
      mtime: new Date(0),
      mode: stats.isDirectory() || (stats.mode & 0o111) !== 0 ? 0o755 : 0o644,
    };
    if (stats.isDirectory()) {
      await addEntry(archive, { ...header, type: 'directory' });
      await addFolder(archive, root, path);
    } else if (stats.isSymbolicLink()) {
      await addEntry(archive, { ...header, type: 'symlink', linkname: await readlink(join(root, path)) });
    } else {
      // The types of tar-stream's own streams and of Node's do not know each other; they work together.
      const entry: unknown = archive.entry({ ...header, size: stats.size });
      await pipeline(createReadStream(join(root, path)), entry as NodeJS.WritableStream);
    }
  }
}

function addEntry(archive: Pack, header: Partial<Header> & { name: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(header, '', (error) => (error ? reject(error) : resolve()));
  });
}
