import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { messageOf, SandboxError } from '../../errors.ts';

const NAME = /^apply-[0-9a-f]{12}\.owner$/;
const NAME_BYTES = 6;

/**
 * One apply at a time. Each listens on a socket of its own in `folder` first and then looks for others that answer; so of
 * two at the same moment at least one sees the other. A name is used once, so one that does not answer can be removed.
 * Undefined when another apply is at work. @throws SandboxError `state`
 */
export async function lockApplies(
  folder: string,
  answers: (socket: string) => Promise<boolean>,
): Promise<AsyncDisposable | undefined> {
  const own = `apply-${randomBytes(NAME_BYTES).toString('hex')}.owner`;
  const server = createServer((socket) => socket.destroy()).unref();
  const release = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  try {
    server.listen(path.join(folder, own));
    await once(server, 'listening');
  } catch (cause) {
    server.close();
    throw new SandboxError('state', `No socket can be made in ${folder}: ${messageOf(cause)}.`, {
      cause,
      hint: 'Make room, or set XDG_STATE_HOME to a folder that you can write to.',
    });
  }
  for (const name of readdirSync(folder).filter((entry) => entry !== own && NAME.test(entry))) {
    if (await answers(path.join(folder, name))) {
      await release();
      return undefined;
    }
    rmSync(path.join(folder, name), { force: true });
  }
  return { [Symbol.asyncDispose]: release };
}
