import { SandboxError } from '../../errors.ts';
import { CommandError, runCommand } from '../../lib/command.ts';
import { plural } from '../../lib/format.ts';
import { isolatedGitEnv } from '../../lib/git-env.ts';
import { joinPath, parsePath } from '../../lib/path-bytes.ts';
import type { Change, ChangeSet } from '../../protocol/changes.ts';
import type { GitFolder } from '../../workspace/git-folder.ts';
import type { Conflict } from '../apply/check.ts';
import { withoutImpliedFolders } from '../bare-folders.ts';
import { BRANCH_GIT_MS, MAX_GIT_LIST_BYTES } from '../limits.ts';
import type { ChangeStore } from '../store.ts';
import { findWriteProblem } from '../write-rules.ts';
import { indexInfo, readFilters, readHead } from './entries.ts';
import { type Planned, planChange } from './plan.ts';
import { Repository } from './repository.ts';

export interface BranchTask {
  readonly set: ChangeSet;
  readonly store: ChangeStore;
  readonly picked: readonly Change[];
  /** Name of the branch, which must not exist. */
  readonly name: string;
  readonly git: GitFolder;
  /** The folder that the run worked on, real, and the same relative to the top of the repository. */
  readonly root: Buffer;
  readonly prefix: Buffer;
  /** An empty folder of ours. */
  readonly scratch: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly signal: AbortSignal;
  readonly pause: () => Promise<void>;
  /** Only look. */
  readonly check: boolean;
}

export interface Branched {
  /** Nothing was made when there is any. */
  readonly conflicts: readonly Conflict[];
  /** The new commit; absent after a check. */
  readonly commit?: string;
  /** Commit on which it stands; absent where it is the first. */
  readonly base?: string;
  readonly paths: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Commits the picked changes on top of HEAD onto a new branch. Work tree, index, HEAD and every other branch stay as
 * they are; no hook, filter or signature program runs. Rejects with SandboxError.
 */
export async function commitOntoBranch(task: BranchTask): Promise<Branched> {
  const { set, store, picked, name, git, scratch, signal, root, prefix } = task;
  await checkName(task);
  try {
    const repository = await Repository.open({ git, scratch, blobs: store.folder, signal });
    if ((await repository.branch(name)) !== undefined) throw taken(name);
    // Without a commit there is no such branch yet; made under HEAD, every file in it would count as removed.
    if (repository.checkedOut === `refs/heads/${name}`) throw checkedOut(name);
    const entries = await readHead(repository);
    const writable = picked.filter((change) => findWriteProblem(change) === undefined);
    const filters = await readFilters(
      repository,
      writable.map((change) => joinPath(prefix, parsePath(change.path))),
    );
    const source = { store, scratch, root, prefix, hash: repository.hash, entries, filters };
    const conflicts: Conflict[] = [];
    const planned: Planned[] = [];
    const paths: string[] = [];
    for (const [number, change] of picked.entries()) {
      await task.pause();
      const step = planChange(source, change, number);
      if (step === undefined) continue;
      if ('conflict' in step) conflicts.push(step.conflict);
      else planned.push(step.planned);
      paths.push(change.path);
    }
    const committed = new Set(paths);
    const folders = withoutImpliedFolders(picked).filter(({ path }) => !committed.has(path)).length;
    const notes =
      folders === 0 ? [] : [`${plural(folders, 'changed folder')} left out of the commit: git knows files only.`];
    const base = repository.head === undefined ? {} : { base: repository.head };
    if (planned.length === 0 && conflicts.length === 0) throw nothing(set.run);
    if (conflicts.length > 0 || task.check) return { conflicts, paths, notes, ...base };
    return { conflicts, paths, notes, ...base, commit: await commit(repository, planned, task) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    signal.throwIfAborted();
    throw new SandboxError('refused', `The branch ${name} could not be made: ${error.message}.`, {
      cause: error,
      hint: 'Your files, index and branches are as they were.',
    });
  }
}

async function commit(repository: Repository, planned: readonly Planned[], task: BranchTask): Promise<string> {
  const { set, name, author } = task;
  const files = planned.flatMap(({ file, entry }) =>
    file === undefined || entry === undefined ? [] : [{ file, entry }],
  );
  const paths = Buffer.from(files.map(({ file }) => `${file}\n`).join(''));
  const written = await repository.run(['hash-object', '-w', '--no-filters', '--stdin-paths'], paths);
  const ids = written.toString('latin1').trim().split('\n');
  const wrong = files.findIndex(({ entry }, at) => entry.id !== ids[at]);
  if (wrong !== -1) throw new SandboxError('state', `A content changed while it was committed: ${files[wrong]?.file}.`);
  await repository.run(['update-index', '-z', '--index-info'], indexInfo(planned, repository.hash));
  // Contents that a partial clone does not have are not needed.
  const tree = text(await repository.run(['write-tree', '--missing-ok']));
  const who = {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
  };
  const message = `Changes of pi-sandbox run ${set.run}\n\nChange set ${set.digest}\n`;
  const parents = repository.head === undefined ? [] : ['-p', repository.head];
  const made = text(await repository.run(['commit-tree', tree, ...parents], Buffer.from(message), who));
  await repository.makeBranch(name, made, `pi-sandbox: run ${set.run}`, who);
  if ((await repository.branch(name)) === made) return made;
  throw new SandboxError('refused', `The branch ${name} is not what was written when it was read back.`);
}

/** @throws SandboxError `usage` for what git does not take as the name of a branch */
async function checkName({ name, scratch, signal }: BranchTask): Promise<void> {
  try {
    if (name.startsWith('-') || name === 'HEAD') throw badName(name);
    await runCommand('git', ['check-ref-format', `refs/heads/${name}`], {
      cwd: scratch,
      env: isolatedGitEnv(scratch),
      maxBytes: MAX_GIT_LIST_BYTES,
      timeoutMs: BRANCH_GIT_MS,
      signal,
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (error.reason === 'exit') throw badName(name);
    throw new SandboxError('repository', `No branch can be made: ${error.message}.`, {
      cause: error,
      hint: 'Install git, or leave --branch out.',
    });
  }
}

function badName(name: string): SandboxError {
  return new SandboxError('usage', `--branch ${name}: git does not take this as the name of a branch.`);
}

function taken(name: string): SandboxError {
  return new SandboxError('refused', `There is a branch ${name} already, and it stays as it is.`, {
    hint: 'Name a new one with --branch.',
  });
}

function checkedOut(name: string): SandboxError {
  return new SandboxError('refused', `The branch ${name} is checked out and has no commit yet.`, {
    hint: 'Name another one with --branch, or leave it out to write to your files.',
  });
}

function nothing(run: string): SandboxError {
  return new SandboxError('usage', `Run ${run} changed no files here, only folders, which git does not know.`, {
    hint: 'Leave --branch out.',
  });
}

function text(bytes: Buffer): string {
  return bytes.toString('latin1').trim();
}
