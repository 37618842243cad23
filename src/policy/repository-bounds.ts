import { lstat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { SandboxError } from '../errors.ts';
import { visitedPaths } from './visited-paths.ts';

/**
 * The outermost folder that whoever writes the repository also writes: the git repository around `root`, else `root`. Not
 * the home folder or what is above it, which some keep under git as well. Both are real paths.
 */
export async function repositoryBounds(root: string, homeDir: string): Promise<string> {
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder)) {
    if (isInside(homeDir, folder)) return root;
    if (await exists(join(folder, '.git'))) return folder;
  }
  return root;
}

/**
 * A repository must not choose the policy that is to hold its agent, neither by a file in it nor by a link.
 *
 * @throws SandboxError `policy` when the way to `path`, links followed, leads into `bounds`
 */
export async function refuseInside(bounds: string, path: string, what: string): Promise<void> {
  if (!(await leadsInside(bounds, path))) return;
  throw new SandboxError(
    'policy',
    `${what} lies in the repository ${bounds}, or is reached through it: whoever writes the repository could weaken its own sandbox.`,
    { hint: 'Keep policies outside, for example in ~/.config/pi-sandbox, and name the file from there.' },
  );
}

/** Whether the way to `path`, links followed, leads into `bounds`. */
export async function leadsInside(bounds: string, path: string): Promise<boolean> {
  return (await visitedPaths(path)).some((visited) => isInside(visited, bounds));
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
