import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { joinPath } from '../lib/path-bytes.ts';
import { MAX_POINTER_BYTES } from './limits.ts';
import { readRegular } from './read-regular.ts';

/** Where the metadata of one work tree is. Only read, and only as data. */
export interface GitFolder {
  /** Holds HEAD and the index. */
  readonly own: Buffer;
  /** Holds config and info/exclude; another one in a linked worktree. */
  readonly common: Buffer;
}

/** The git folder that belongs to a work tree, also through a `.git` file (linked worktree, submodule). */
export async function findGitFolder(workTree: Buffer): Promise<GitFolder | undefined> {
  const dotGit = joinPath(workTree, Buffer.from('.git'));
  const found = await statOf(dotGit);
  if (found === undefined) return undefined;
  const own = found.isDirectory() ? dotGit : await readPointer(dotGit, workTree, 'gitdir: ');
  if (own === undefined) return undefined;
  // git's own test for a repository, as far as it matters for listing: without HEAD it walks up instead.
  if ((await statOf(joinPath(own, Buffer.from('HEAD')))) === undefined) return undefined;
  const common = await readPointer(joinPath(own, Buffer.from('commondir')), own, '');
  return { own, common: common ?? own };
}

/** The work tree that contains this folder: itself or the nearest one above with a git folder. */
export async function findWorkTree(folder: string): Promise<{ top: string; git: GitFolder } | undefined> {
  for (let top = folder; ; top = dirname(top)) {
    const git = await findGitFolder(Buffer.from(top));
    if (git !== undefined) return { top, git };
    if (top === dirname(top)) return undefined;
  }
}

async function readPointer(file: Buffer, base: Buffer, prefix: string): Promise<Buffer | undefined> {
  const bytes = await readRegular(file, MAX_POINTER_BYTES);
  if (bytes === undefined || !bytes.subarray(0, prefix.length).equals(Buffer.from(prefix))) return undefined;
  let end = bytes.length;
  while (end > prefix.length && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end -= 1;
  const target = bytes.subarray(prefix.length, end);
  if (target.length === 0 || target.includes(0)) return undefined;
  return isAbsolute(target.toString('latin1')) ? target : joinPath(base, target);
}

async function statOf(path: Buffer): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}
