import { realpath } from 'node:fs/promises';
import { messageOf, SandboxError } from '../errors.ts';
import { leadsInside, repositoryBounds } from '../policy/repository-bounds.ts';

/**
 * Refuses files of pi that are reached through the repository: they name commands to run and addresses to send keys to, so whoever
 * writes the repository must not write them. The result rejects with SandboxError `model`.
 */
export function outsideRepository(root: string, homeDir: string): (path: string) => Promise<void> {
  const bounds = realpath(homeDir)
    .catch(() => homeDir)
    .then((home) => repositoryBounds(root, home));
  return async (path) => {
    const inside = await leadsInside(await bounds, path).catch((error: unknown) => {
      throw new SandboxError('model', `${path} cannot be used: ${messageOf(error)}.`, { cause: error });
    });
    if (!inside) return;
    throw new SandboxError(
      'model',
      `${path} lies in the repository ${await bounds}, or is reached through it: whoever writes the repository could have commands run here and keys sent elsewhere.`,
      { hint: 'Let the agent work on a folder below, or name another folder in PI_CODING_AGENT_DIR.' },
    );
  };
}
