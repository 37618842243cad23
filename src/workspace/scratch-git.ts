import { lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, SandboxError } from '../errors.ts';
import { joinPath } from '../lib/path-bytes.ts';
import { configValues } from './config-values.ts';
import type { GitFolder } from './git-folder.ts';
import { isIndex, sharedIndexId } from './index-file.ts';
import { MAX_RULES_BYTES } from './limits.ts';
import { readRegular } from './read-regular.ts';

/** A git folder of ours that lends git the repository's index and rules, and nothing else of it. */
export interface ScratchGit {
  readonly gitDir: string;
  /** Link to the work tree: the path given to git is ours and plain, whatever the real one looks like. */
  readonly workTree: string;
  /** Link to the folder to list. */
  readonly listed: string;
  readonly hasIndex: boolean;
  /** Why the repository's index is not used, where it has one. */
  readonly indexProblem: string | undefined;
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

/** What the indexes of one selection may still take in our scratch folders, bytes. Counted down. */
export interface IndexBudget {
  bytes: number;
}

interface NoIndex {
  /** Absent where the repository has none. */
  readonly why?: string;
}

const SHA1_BYTES = 20;
const SHA256_BYTES = 32;

/**
 * Makes a scratch git folder in an empty folder of ours. The repository's config never comes along, because any of
 * some twenty keys makes git run a command; of it only two plain facts are carried over: the hash that the index
 * uses, and whether names ignore case. Rejects with SandboxError `state` when it cannot be written.
 */
export async function makeScratchGit(
  folder: string,
  trees: ScratchTrees,
  /** Absent: no index comes along. */
  budget?: IndexBudget,
): Promise<ScratchGit> {
  try {
    return await fill(folder, trees, budget);
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    throw new SandboxError('state', `The scratch folder ${folder} cannot be written: ${messageOf(cause)}.`, {
      cause,
      hint: 'Check the free space and the permissions of the state folder.',
    });
  }
}

async function fill(folder: string, trees: ScratchTrees, budget: IndexBudget | undefined): Promise<ScratchGit> {
  const gitDir = join(folder, 'git');
  await mkdir(join(gitDir, 'objects'), { recursive: true, mode: 0o700 });
  await mkdir(join(gitDir, 'refs'));
  await mkdir(join(gitDir, 'info'));
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  const scratch = { gitDir, workTree: join(folder, 'work-tree'), listed: join(folder, 'listed') };
  await symlink(trees.workTree, scratch.workTree);
  await symlink(trees.listed, scratch.listed);
  const config = trees.git === undefined ? '' : await readText(trees.git.common, 'config');
  const sha256 = configValues(config, 'objectformat').some((value) => /^sha256/i.test(value));
  await writeFile(join(gitDir, 'config'), plainConfig(config, sha256));
  if (trees.git !== undefined) await copyExclude(trees.git, gitDir);
  const missing =
    trees.git === undefined || budget === undefined
      ? {}
      : await copyIndex(trees.git, gitDir, sha256 ? SHA256_BYTES : SHA1_BYTES, budget);
  return {
    ...scratch,
    hasIndex: missing === undefined,
    indexProblem: missing?.why,
    ownExcludesFile: configValues(config, 'excludesfile').length > 0,
  };
}

function plainConfig(theirs: string, sha256: boolean): string {
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

/** Undefined when there is an index now; else why there is none. */
async function copyIndex(
  git: GitFolder,
  gitDir: string,
  idBytes: number,
  budget: IndexBudget,
): Promise<NoIndex | undefined> {
  const path = joinPath(git.own, Buffer.from('index'));
  const index = await readRegular(path, budget.bytes);
  if (index === undefined) {
    const exists = await lstat(path).then(
      () => true,
      () => false,
    );
    return exists ? { why: 'it cannot be read, or all indexes together are too large' } : {};
  }
  if (!isIndex(index)) return { why: 'it does not begin like one' };
  budget.bytes -= index.length;
  await writeFile(join(gitDir, 'index'), index);
  const id = sharedIndexId(index, idBytes);
  if (id !== undefined) await copySharedIndex(git, gitDir, `sharedindex.${id}`, budget);
  return undefined;
}

/** A split index needs its shared part beside it; without it git says what is wrong. */
async function copySharedIndex(git: GitFolder, gitDir: string, name: string, budget: IndexBudget): Promise<void> {
  const shared = await readRegular(joinPath(git.own, Buffer.from(name)), budget.bytes);
  if (shared === undefined || !isIndex(shared)) return;
  budget.bytes -= shared.length;
  await writeFile(join(gitDir, name), shared);
}

async function readText(folder: Buffer, name: string): Promise<string> {
  const bytes = await readRegular(joinPath(folder, Buffer.from(name)), MAX_RULES_BYTES);
  return bytes === undefined ? '' : bytes.toString('latin1');
}
