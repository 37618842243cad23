import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, SandboxError } from '../errors.ts';
import { joinPath } from '../lib/path-bytes.ts';
import { configValues } from './config-values.ts';
import type { GitFolder } from './git-folder.ts';
import { MAX_INDEX_BYTES, MAX_RULES_BYTES } from './limits.ts';
import { readRegular } from './read-regular.ts';

/** A git folder of ours that lends git the repository's index and rules, and nothing else of it. */
export interface ScratchGit {
  readonly gitDir: string;
  /** Link to the work tree: the path given to git is ours and plain, whatever the real one looks like. */
  readonly workTree: string;
  /** Link to the folder to list. */
  readonly listed: string;
  readonly hasIndex: boolean;
  /** The repository's config names an excludes file of its own, which is not used. */
  readonly ownExcludesFile: boolean;
}

export interface ScratchTrees {
  /** Top of the repository. */
  readonly workTree: Buffer;
  /** The folder to list: the top, or a folder in it. */
  readonly listed: Buffer;
  /** The repository's metadata; absent where there is none, or none that can be used. */
  readonly git: GitFolder | undefined;
}

const OBJECT_ID = /^sharedindex\.([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Makes a scratch git folder in an empty folder of ours. The repository's config never comes along, because any of
 * some twenty keys makes git run a command; of it only two plain facts are carried over: the hash that the index
 * uses, and whether names ignore case. Rejects with SandboxError `state` when it cannot be written.
 */
export async function makeScratchGit(folder: string, trees: ScratchTrees, withIndex = true): Promise<ScratchGit> {
  try {
    return await fill(folder, trees, withIndex);
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    throw new SandboxError('state', `The scratch folder ${folder} cannot be written: ${messageOf(cause)}.`, {
      cause,
      hint: 'Check the free space and the permissions of the state folder.',
    });
  }
}

async function fill(folder: string, trees: ScratchTrees, withIndex: boolean): Promise<ScratchGit> {
  const gitDir = join(folder, 'git');
  await mkdir(join(gitDir, 'objects'), { recursive: true, mode: 0o700 });
  await mkdir(join(gitDir, 'refs'));
  await mkdir(join(gitDir, 'info'));
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  const scratch = { gitDir, workTree: join(folder, 'work-tree'), listed: join(folder, 'listed') };
  await symlink(trees.workTree, scratch.workTree);
  await symlink(trees.listed, scratch.listed);
  const config = trees.git === undefined ? '' : await readText(trees.git.common, 'config');
  await writeFile(join(gitDir, 'config'), plainConfig(config));
  if (trees.git !== undefined) await copyExclude(trees.git, gitDir);
  return {
    ...scratch,
    hasIndex: withIndex && trees.git !== undefined && (await copyIndex(trees.git, gitDir)),
    ownExcludesFile: configValues(config, 'excludesfile').length > 0,
  };
}

function plainConfig(theirs: string): string {
  const sha256 = configValues(theirs, 'objectformat').some((value) => /^sha256/i.test(value));
  const ignoreCase = configValues(theirs, 'ignorecase').some((value) => /^(true|yes|on|1)/i.test(value));
  return [
    '[core]',
    `repositoryformatversion = ${sha256 ? 1 : 0}`,
    'bare = false',
    `ignorecase = ${ignoreCase}`,
    ...(sha256 ? ['[extensions]', 'objectformat = sha256'] : []),
    '',
  ].join('\n');
}

async function copyExclude(git: GitFolder, gitDir: string): Promise<void> {
  const exclude = await readRegular(joinPath(git.common, Buffer.from('info/exclude')), MAX_RULES_BYTES);
  if (exclude !== undefined) await writeFile(join(gitDir, 'info', 'exclude'), exclude);
}

async function copyIndex(git: GitFolder, gitDir: string): Promise<boolean> {
  const index = await readRegular(joinPath(git.own, Buffer.from('index')), MAX_INDEX_BYTES);
  if (index === undefined) return false;
  await writeFile(join(gitDir, 'index'), index);
  await copySharedIndex(git, gitDir, index);
  return true;
}

/** A split index names the hash of its shared part, which lies beside it. */
async function copySharedIndex(git: GitFolder, gitDir: string, index: Buffer): Promise<void> {
  const names = await readdir(git.own).catch(() => []);
  for (const name of names) {
    const id = OBJECT_ID.exec(name)?.[1];
    if (id === undefined || !index.includes(Buffer.from(id, 'hex'))) continue;
    const shared = await readRegular(joinPath(git.own, Buffer.from(name)), MAX_INDEX_BYTES);
    if (shared !== undefined) await writeFile(join(gitDir, name), shared);
  }
}

async function readText(folder: Buffer, name: string): Promise<string> {
  const bytes = await readRegular(joinPath(folder, Buffer.from(name)), MAX_RULES_BYTES);
  return bytes === undefined ? '' : bytes.toString('latin1');
}
