import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { showPath } from '../../lib/path-bytes.ts';
import { manifestKey } from '../../protocol/manifest.ts';
import { isRunByGit } from '../git-folders.ts';
import { MAX_GIT_POINTER_BYTES } from '../limits.ts';
import { foldersAbove, nameOf, splitPath } from './path-parts.ts';
import { type At, FolderProblem, type TargetTree } from './tree.ts';

const POINTER = 'gitdir: ';

/** Whether git takes this folder for a repository, or a part of one, by what lies in it. */
export function isGitFolder(at: At): boolean {
  const has = (name: string): boolean => statSync(at(Buffer.from(name)), { throwIfNoEntry: false }) !== undefined;
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/**
 * Folders of the target that are git's without being called `.git`. A change set knows of those that were sent in; here
 * counts what lies on the disk: a bare repository that stayed out, or the folder that a `.git` file names.
 */
export class GitOnDisk {
  readonly #tree: TargetTree;
  readonly #seen = new Map<string, boolean>();
  /** Real paths of folders that a `.git` file names. */
  readonly #named = new Set<string>();
  readonly #root: string;

  constructor(tree: TargetTree) {
    this.#tree = tree;
    this.#root = real(tree.root);
  }

  /** Why nothing is written to a path, half a sentence; undefined where git has no part in it. */
  find(target: Buffer): string | undefined {
    const parts = splitPath(target);
    const folders = [Buffer.alloc(0), ...foldersAbove(target)];
    for (const [depth, folder] of folders.entries()) {
      const isGit = this.#look(folder);
      if (isGit === undefined) return undefined;
      const whole = this.#named.has(this.#absolute(folder));
      if (!whole && !(isGit && isRunByGit((parts[depth] ?? nameOf(target)).toString('latin1')))) continue;
      return `is never written to: git keeps a repository in ${folder.length === 0 ? 'the target' : showPath(folder)}`;
    }
    return undefined;
  }

  /** Undefined: it is no folder, so nothing lies in it. */
  #look(folder: Buffer): boolean | undefined {
    const key = manifestKey(folder);
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    try {
      const isGit = this.#tree.within(folder, (at) => {
        const named = pointer(at(Buffer.from('.git')));
        if (named !== undefined)
          this.#named.add(real(Buffer.from(path.resolve(this.#absolute(folder), named), 'latin1')));
        return isGitFolder(at);
      });
      this.#seen.set(key, isGit);
      return isGit;
    } catch (error) {
      if (error instanceof FolderProblem) return undefined;
      throw error;
    }
  }

  /** As Latin-1. */
  #absolute(folder: Buffer): string {
    return folder.length === 0 ? this.#root : `${this.#root}/${folder.toString('latin1')}`;
  }
}

/** What a `.git` file names, as Latin-1. */
function pointer(place: Buffer): string | undefined {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > MAX_GIT_POINTER_BYTES) return undefined;
  const text = readFileSync(place, 'latin1');
  return text.startsWith(POINTER) ? text.slice(POINTER.length).replace(/[\r\n]+$/, '') : undefined;
}

function real(place: Buffer): string {
  try {
    return realpathSync(place, { encoding: 'buffer' }).toString('latin1');
  } catch {
    return place.toString('latin1');
  }
}
