import type { Manifest } from '../protocol/manifest.ts';
import { nameOf, parentOf } from './path-keys.ts';

/** Names by which git takes a folder for a repository or a part of one. */
const NAMES = new Set(['head', 'objects', 'refs', 'commondir']);
const FILES = new Set(['head', 'commondir']);

/** Names in a repository that decide what git runs, or where it looks for that. */
const CONTROL = new Set(['head', 'objects', 'refs', 'commondir', 'config', 'config.worktree', 'hooks', 'info']);

/** Names in a repository that git reads commands from. */
const RUNS = new Set(['commondir', 'config', 'config.worktree', 'hooks', 'info']);

/**
 * Folders that git takes for a repository without a `.git`: it has HEAD, and objects and refs of its own or elsewhere.
 * A command of git in such a folder runs what its config says.
 */
export function findGitFolders(tree: Manifest): Set<string> {
  const found = new Map<string, Set<string>>();
  for (const [key, { type }] of tree) {
    const name = nameOf(key).toLowerCase();
    if (!NAMES.has(name) || (type === 'dir' && FILES.has(name))) continue;
    const folder = parentOf(key);
    found.set(folder, (found.get(folder) ?? new Set()).add(name));
  }
  const folders = new Set<string>();
  for (const [folder, names] of found) {
    const own = names.has('objects') && names.has('refs');
    if (names.has('head') && (own || names.has('commondir'))) folders.add(folder);
  }
  return folders;
}

export function makesGitFolder(name: string): boolean {
  return CONTROL.has(name.toLowerCase());
}

export function isRunByGit(name: string): boolean {
  return RUNS.has(name.toLowerCase());
}
