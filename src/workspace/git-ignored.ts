import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../errors.ts';
import { CommandError } from '../lib/command.ts';
import { joinPath, showPath } from '../lib/path-bytes.ts';
import { type GitHost, listIgnored } from './git-command.ts';
import { findGitFolder, findWorkTree, type GitFolder } from './git-folder.ts';
import { findExcludesFile } from './global-excludes.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { LISTED_IN_NOTICE, MAX_INDEX_BYTES, MAX_NESTED_REPOSITORIES } from './limits.ts';
import { makeScratchGit, type ScratchGit, type ScratchTrees } from './scratch-git.ts';

/** Where a listing by git may put its scratch folders, and how it runs git. */
export interface GitListing {
  readonly scratchRoot: string;
  readonly host: GitHost;
  readonly signal: AbortSignal | undefined;
}

/** Ignore rules as git itself understands them, for the root and for each repository inside it. */
export class GitIgnored implements IgnoreRules {
  readonly vcs = 'git';
  readonly #root: Buffer;
  readonly #listing: GitListing;
  readonly #ignored = new Set<string>();
  readonly #nested: string[] = [];
  readonly #notices: string[] = [];
  readonly #indexes = { bytes: MAX_INDEX_BYTES };
  #excludesFile: string | undefined;

  private constructor(root: Buffer, listing: GitListing) {
    this.#root = root;
    this.#listing = listing;
  }

  /** Throws CommandError where git cannot be run at all. */
  static async load(root: string, listing: GitListing): Promise<GitIgnored> {
    const rules = new GitIgnored(Buffer.from(root), listing);
    const found = await findWorkTree(root);
    await rules.#add(Buffer.alloc(0), Buffer.from(found?.top ?? root), found?.git);
    if (!rules.#ignored.delete('./')) {
      if (found !== undefined && found.top !== root) {
        rules.#notices.push(
          `The folder is part of the repository ${showPath(Buffer.from(found.top))}, whose ignore rules are used.`,
        );
      }
      return rules;
    }
    // A repository above ignores this whole folder; its rules say nothing about what is in it.
    rules.#notices.push(
      `The repository ${showPath(Buffer.from(found?.top ?? root))} ignores this folder as a whole; only ignore rules inside the folder are used.`,
    );
    await rules.#add(Buffer.alloc(0), Buffer.from(root), undefined);
    return rules;
  }

  async enterFolder(): Promise<void> {}

  leaveFolder(): void {}

  async enterRepository(folder: Buffer): Promise<void> {
    this.#nested.push(showPath(folder));
    if (this.#nested.length > MAX_NESTED_REPOSITORIES) {
      throw new SandboxError(
        'repository',
        `The repository ${showPath(this.#root)} contains more than ${MAX_NESTED_REPOSITORIES} other repositories.`,
        { hint: 'Leave a folder with many of them out with --exclude, or choose a smaller folder.' },
      );
    }
    const path = joinPath(this.#root, folder);
    await this.#add(folder, path, await findGitFolder(path));
  }

  ignores(path: Buffer, isFolder: boolean): boolean {
    return this.#ignored.has(path.toString('latin1') + (isFolder ? '/' : ''));
  }

  notices(): string[] {
    const notices = [...this.#notices];
    if (this.#nested.length > 0) {
      const more = this.#nested.length - LISTED_IN_NOTICE;
      notices.push(
        `Contains ${this.#nested.length} other ${this.#nested.length === 1 ? 'repository' : 'repositories'} ` +
          `(${this.#nested.slice(0, LISTED_IN_NOTICE).join(', ')}${more > 0 ? `, and ${more} more` : ''}): ` +
          'their files enter by their own ignore rules, their history does not.',
      );
    }
    return notices;
  }

  /** Adds what git ignores in `folder` (relative to the root); `workTree` is the top of its repository. */
  async #add(folder: Buffer, workTree: Buffer, git: GitFolder | undefined): Promise<void> {
    const trees = { workTree, listed: joinPath(this.#root, folder), git };
    const scratch = await makeScratchGit(await this.#scratchFolder(), trees, this.#indexes);
    if (folder.length === 0) {
      this.#excludesFile = await findExcludesFile(scratch, this.#listing.host, this.#listing.signal);
    }
    if (scratch.ownExcludesFile) {
      this.#notices.push(
        `The git configuration of ${place(folder)} names its own excludes file; it is not used, as nothing of that configuration is.`,
      );
    }
    if (scratch.indexProblem !== undefined) {
      this.#notices.push(
        `The index of ${place(folder)} is not used (${scratch.indexProblem}); tracked files that are also ignored stay out.`,
      );
    }
    const prefix = folder.length === 0 ? '' : `${folder.toString('latin1')}/`;
    for (const path of await this.#list(scratch, trees, folder)) this.#ignored.add(prefix + path);
  }

  async #list(scratch: ScratchGit, trees: ScratchTrees, folder: Buffer): Promise<Set<string>> {
    const { host, signal } = this.#listing;
    try {
      return await listIgnored(scratch, host, this.#excludesFile, signal);
    } catch (error) {
      signal?.throwIfAborted();
      // A sparse index needs objects, a damaged one cannot be read: the rules still hold without an index.
      if (!scratch.hasIndex || !(error instanceof CommandError) || error.reason !== 'exit') throw error;
      this.#notices.push(
        `git could not read the index of ${place(folder)} (${showPath(Buffer.from(error.stderr.split('\n')[0] ?? ''))}); tracked files that are also ignored stay out.`,
      );
      const bare = await makeScratchGit(await this.#scratchFolder(), trees);
      return listIgnored(bare, host, this.#excludesFile, signal);
    }
  }

  #scratchFolder(): Promise<string> {
    return mkdtemp(join(this.#listing.scratchRoot, 'git-'));
  }
}

function place(folder: Buffer): string {
  return folder.length === 0 ? 'the repository' : showPath(folder);
}
