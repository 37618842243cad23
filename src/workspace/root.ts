import type { Stats } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { SandboxError } from '../errors.ts';
import { showPath } from '../lib/path-bytes.ts';

/**
 * Real path of a folder that may be used as repository. Refuses, as SandboxError('repository'), what is missing, no
 * folder or not readable, and every folder whose content is more than one repository: `/`, the home folder and what
 * contains it, our state folder with what contains it or is in it.
 */
export async function checkRoot(
  path: string,
  { stateDir, homeDir }: { stateDir: string; homeDir: string | undefined },
): Promise<string> {
  const root = await realpath(path).catch((error: unknown) => {
    throw refusal(path, 'cannot be opened', codeOf(error) === 'ENOENT' ? 'it does not exist' : reasonOf(error));
  });
  const found = await stat(root).catch((error: unknown): Stats => {
    throw refusal(path, 'cannot be opened', reasonOf(error));
  });
  if (!found.isDirectory()) throw refusal(path, 'cannot be used', 'it is not a folder');
  await tryReading(root).catch((error: unknown) => {
    throw refusal(path, 'cannot be read', reasonOf(error));
  });
  const home = homeDir === undefined ? undefined : await realPathOfNearest(homeDir);
  const state = await realPathOfNearest(stateDir);
  if (root === sep) throw refusal(path, 'cannot be used', 'it is the whole file system');
  if (root === home) throw refusal(path, 'cannot be used', 'it is your home folder');
  if (home !== undefined && contains(root, home)) throw refusal(path, 'cannot be used', 'it contains your home folder');
  if (root === state || contains(root, state)) {
    throw refusal(path, 'cannot be used', 'it is or contains the folder where pi-sandbox keeps its runs');
  }
  if (contains(state, root))
    throw refusal(path, 'cannot be used', 'it is inside the folder where pi-sandbox keeps its runs');
  return root;
}

/** Listing needs one permission, entering another; both are tried, because only that is certain. */
async function tryReading(folder: string): Promise<void> {
  await (await opendir(folder)).close();
  await stat(`${folder}${sep}.`);
}

function refusal(path: string, what: string, why: string): SandboxError {
  return new SandboxError('repository', `The repository ${showPath(Buffer.from(path))} ${what}: ${why}.`, {
    hint: 'Name the folder of one project, for example: pi-sandbox run ./my-project "fix the failing test".',
  });
}

function contains(folder: string, inner: string): boolean {
  return inner.startsWith(folder === sep ? sep : folder + sep);
}

/** Real path of something that may not exist yet: its nearest existing parent decides about links. */
async function realPathOfNearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path
      ? path
      : join(await realPathOfNearest(parent), path.slice(parent === sep ? 1 : parent.length + 1));
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  const texts: Record<string, string> = {
    EACCES: 'permission is denied',
    EPERM: 'permission is denied',
    ENOENT: 'it vanished, or its name is not UTF-8',
    ENOTDIR: 'a part of its path is not a folder',
    ELOOP: 'its path is a loop of links',
    ENAMETOOLONG: 'its path is too long',
  };
  const code = codeOf(error);
  return texts[String(code)] ?? `the system says ${String(code)}`;
}
