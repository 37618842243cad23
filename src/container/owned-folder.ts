import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { messageOf, SandboxError } from '../errors.ts';
import { controllerAlive } from './ownership.ts';

/** What it is for: the context of an image build, or the scratch git folder of a listing. */
export type FolderKind = 'image' | 'scratch';

const NAME = /^(image|scratch)-[0-9a-f]{12}$/;
const NAME_BYTES = 6;

/**
 * A new folder below `parent` for as long as this process lives: a socket beside it answers for it. The socket comes
 * first, so a folder without one that answers has no owner any more. Disposing removes both. Rejects with SandboxError
 * `state`.
 */
export async function ownedFolder(
  parent: string,
  kind: FolderKind,
): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = join(parent, `${kind}-${randomBytes(NAME_BYTES).toString('hex')}`);
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen(socketOf(folder));
    await once(server, 'listening');
    await mkdir(folder, { mode: 0o700 });
  } catch (cause) {
    server.close();
    throw new SandboxError('state', `No folder can be made in ${parent}: ${messageOf(cause)}.`, {
      cause,
      hint: 'Make room or set XDG_STATE_HOME to a folder that you can write to.',
    });
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Removes the folders below `parent` whose owner is gone. npm may outlive its controller for a while and still write: what
 * resists is left to the next command.
 */
export async function sweepOwnedFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [] as string[]);
  for (const name of names.filter((entry) => NAME.test(entry))) {
    const folder = join(parent, name);
    if (await controllerAlive(socketOf(folder))) continue;
    try {
      await rm(folder, { recursive: true, force: true });
      await rm(socketOf(folder), { force: true });
    } catch {}
  }
}

function socketOf(folder: string): string {
  return `${folder}.owner`;
}
