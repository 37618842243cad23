import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, SandboxError } from '../errors.ts';
import { CommandError, runCommand, streamCommand } from '../lib/command.ts';
import { isolatedGitEnv } from '../lib/git-env.ts';
import type { NotInPatch } from '../protocol/change-view.ts';
import type { Change } from '../protocol/changes.ts';
import { AFTER, BEFORE, importStream } from './fast-import.ts';
import { MAX_PATCH_BYTES, PATCH_IMPORT_MS, PATCH_QUIET_MS } from './limits.ts';
import { type LineCount, parseNumstat } from './numstat.ts';
import { patchTrees } from './patch-trees.ts';
import type { ChangeStore } from './store.ts';

/** Changes as git shows them. Each method asks git anew and hands on what it writes, so memory stays flat. */
export interface Patch {
  /** What it cannot hold. */
  readonly left: readonly NotInPatch[];
  /** For `git apply`: contents of binary files included, `a/` and `b/` before every name. */
  bytes(): AsyncIterable<Buffer>;
  /** The same for reading: of binary files it only says that they differ. */
  readable(): AsyncIterable<Buffer>;
  /** Lines added and removed, by the path's bytes as Latin-1. */
  counts(): Promise<ReadonlyMap<string, LineCount>>;
}

export interface PatchOptions {
  /** An empty private folder of ours, which is filled. */
  readonly folder: string;
  /** Absolute path of git; without it git is looked for in the usual places. */
  readonly gitPath?: string;
  readonly signal?: AbortSignal;
}

/**
 * Everything that would let a file of the tree, or a person's taste, decide what is shown is absent: the folder holds no
 * work tree, no HEAD and no attributes, and the only configuration is this one.
 */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = true
\thooksPath = /dev/null
\tlogAllRefUpdates = false
\tprotectHFS = false
\tprotectNTFS = false
[pack]
\tcompression = 0
[fastimport]
\tunpackLimit = 1
[protocol]
\tallow = never
`;
/** Newer versions of git read attributes from HEAD where there is no work tree; these come first. */
const ATTRIBUTES = '* !diff\n';

const DIFF = [
  'diff-tree',
  '-r',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--submodule=short',
];
const PATCH = ['-p', '--full-index', '--unified=3', '--src-prefix=a/', '--dst-prefix=b/'];

/**
 * Prepares the patch of some changes of one set.
 *
 * @throws SandboxError `state` when git is missing, refuses, or a content was altered
 */
export async function makePatch(store: ChangeStore, changes: readonly Change[], options: PatchOptions): Promise<Patch> {
  const trees = patchTrees(changes, store);
  const git = gitIn(options);
  await makeBareRepository(options.folder);
  await git.run(['fast-import', '--quiet', '--date-format=raw', '--depth=0'], importStream(trees, store));
  return {
    left: trees.left,
    bytes: () => git.stream([...DIFF, ...PATCH, '--binary', BEFORE, AFTER, '--']),
    readable: () => git.stream([...DIFF, ...PATCH, BEFORE, AFTER, '--']),
    counts: () => parseNumstat(git.stream([...DIFF, '--numstat', '-z', BEFORE, AFTER, '--'])),
  };
}

async function makeBareRepository(folder: string): Promise<void> {
  try {
    for (const name of ['objects', 'refs', 'info']) await mkdir(join(folder, name), { mode: 0o700 });
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
    await writeFile(join(folder, 'config'), CONFIG);
    await writeFile(join(folder, 'info', 'attributes'), ATTRIBUTES);
  } catch (cause) {
    throw new SandboxError('state', `The scratch folder ${folder} cannot be written: ${messageOf(cause)}.`, {
      cause,
      hint: 'Check the free space and the permissions of the state folder.',
    });
  }
}

/** The host's git on the scratch repository. */
function gitIn({ folder, gitPath = 'git', signal }: PatchOptions) {
  // A person at a pager may press Ctrl-C without ending what the pager reads.
  const common = {
    cwd: folder,
    env: isolatedGitEnv(folder),
    ownGroup: true,
    ...(signal === undefined ? {} : { signal }),
  };
  const own = [`--git-dir=${folder}`];
  return {
    async run(args: readonly string[], input: AsyncIterable<Buffer>): Promise<void> {
      try {
        const limits = { maxBytes: 64 * 1024, timeoutMs: PATCH_IMPORT_MS };
        await runCommand(gitPath, [...own, ...args], { ...common, ...limits, input });
      } catch (error) {
        throw explained(error);
      }
    },
    async *stream(args: readonly string[]): AsyncGenerator<Buffer, void> {
      try {
        const limits = { maxBytes: MAX_PATCH_BYTES, quietMs: PATCH_QUIET_MS };
        yield* streamCommand(gitPath, [...own, ...args], { ...common, ...limits });
      } catch (error) {
        throw explained(error);
      }
    },
  };
}

function explained(error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  if (error.reason === 'not-found') {
    return new SandboxError('state', 'The patch cannot be made: git was not found on this machine.', {
      cause: error,
      hint: 'Install git. "diff --stat" and "diff --json" show the changes without it.',
    });
  }
  return new SandboxError('state', `The patch could not be made: ${error.message}.`, {
    cause: error,
    hint: 'The change set is kept. "diff --stat" lists the changes; name some of them to get a patch of those.',
  });
}
