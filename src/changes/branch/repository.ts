import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SandboxError } from '../../errors.ts';
import { CommandError, runCommand } from '../../lib/command.ts';
import { isolatedGitEnv } from '../../lib/git-env.ts';
import { showPath } from '../../lib/path-bytes.ts';
import type { GitFolder } from '../../workspace/git-folder.ts';
import { BRANCH_GIT_MS, MAX_GIT_LIST_BYTES } from '../limits.ts';

/** Settings that win over the repository's, for the few calls that see its own git folder. */
const HARMLESS = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'protocol.allow=never', 'gc.auto=0'];
const HASHES = ['sha1', 'sha256'] as const;

export type HashName = (typeof HASHES)[number];

/**
 * The user's repository as far as committing needs it. All work on objects is done by git with a git folder of ours that
 * borrows nothing but the object store: the repository's configuration, hooks, attributes, filters and replacements are
 * not there. Its own git folder is seen by a few calls alone, which resolve or set a name.
 */
export class Repository {
  readonly hash: HashName;
  /** Commit of HEAD; undefined before the first one. */
  readonly head: string | undefined;
  /** Full name of the branch that is checked out, which may have no commit yet; undefined where none is. */
  readonly checkedOut: string | undefined;
  readonly #scratch: string;
  readonly #own: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;

  private constructor(
    { git, scratch, signal }: { git: GitFolder; scratch: string; signal: AbortSignal },
    hash: HashName,
    head: string | undefined,
    checkedOut: string | undefined,
  ) {
    this.hash = hash;
    this.head = head;
    this.checkedOut = checkedOut;
    this.#scratch = scratch;
    this.#own = textOf(git.own);
    this.#signal = signal;
    this.#env = {
      ...isolatedGitEnv(scratch),
      GIT_DIR: path.join(scratch, 'git'),
      GIT_OBJECT_DIRECTORY: path.join(textOf(git.common), 'objects'),
      GIT_INDEX_FILE: path.join(scratch, 'index'),
    };
  }

  /** `scratch`: an empty folder of ours. `blobs`: a folder that is seen as `blobs` in it. */
  static async open(at: {
    readonly git: GitFolder;
    readonly scratch: string;
    readonly blobs: string;
    readonly signal: AbortSignal;
  }): Promise<Repository> {
    const ask = async (...args: string[]): Promise<string> => text(await named(at, textOf(at.git.own), args));
    const answer = await ask('rev-parse', '--show-object-format');
    const hash = HASHES.find((name) => name === answer);
    if (hash === undefined)
      throw new SandboxError('repository', `Its objects are named by ${answer}, which is not known.`);
    const head = await ask('rev-parse', '--verify', '--quiet', 'HEAD').catch(silentFailure);
    const checkedOut = await ask('symbolic-ref', '--quiet', 'HEAD').catch(silentFailure);
    const config = ['[core]', `repositoryformatversion = ${hash === 'sha1' ? 0 : 1}`, 'bare = true'];
    if (hash !== 'sha1') config.push('[extensions]', `objectformat = ${hash}`);
    for (const folder of ['git/objects', 'git/refs', 'made'])
      mkdirSync(path.join(at.scratch, folder), { recursive: true });
    writeFileSync(path.join(at.scratch, 'git/HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(path.join(at.scratch, 'git/config'), `${config.join('\n')}\n`);
    symlinkSync(at.blobs, path.join(at.scratch, 'blobs'));
    return new Repository(at, hash, head, checkedOut);
  }

  /** Runs git on objects; in our scratch folder. */
  async run(args: readonly string[], input?: Uint8Array, env: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    const { stdout } = await runCommand('git', args, {
      cwd: this.#scratch,
      env: { ...this.#env, ...env },
      ...(input === undefined ? {} : { input }),
      maxBytes: MAX_GIT_LIST_BYTES,
      timeoutMs: BRANCH_GIT_MS,
      signal: this.#signal,
    });
    return Buffer.from(stdout);
  }

  /** Undefined when there is no such branch. */
  branch(name: string): Promise<string | undefined> {
    return this.#named('rev-parse', '--verify', '--quiet', `refs/heads/${name}`).catch(silentFailure);
  }

  /** Makes a branch, which must not exist. `who`: for the log of the branch. */
  async makeBranch(
    name: string,
    commit: string,
    message: string,
    who: Readonly<Record<string, string>>,
  ): Promise<void> {
    const nothing = '0'.repeat(commit.length);
    const args = ['update-ref', '--create-reflog', '-m', message, `refs/heads/${name}`, commit, nothing];
    await named({ scratch: this.#scratch, signal: this.#signal }, this.#own, args, who);
  }

  async #named(...args: string[]): Promise<string> {
    return text(await named({ scratch: this.#scratch, signal: this.#signal }, this.#own, args));
  }
}

/** A call that sees the repository's own git folder. */
async function named(
  { scratch, signal }: { readonly scratch: string; readonly signal: AbortSignal },
  own: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  const settings = HARMLESS.flatMap((setting) => ['-c', setting]);
  const { stdout } = await runCommand('git', [...settings, `--git-dir=${own}`, ...args], {
    cwd: scratch,
    env: { ...isolatedGitEnv(scratch), ...env },
    maxBytes: MAX_GIT_LIST_BYTES,
    timeoutMs: BRANCH_GIT_MS,
    signal,
  });
  return stdout;
}

/** `rev-parse --quiet` leaves with 1 and says nothing when a name means nothing. */
function silentFailure(error: unknown): undefined {
  if (error instanceof CommandError && error.reason === 'exit' && error.stderr === '') return undefined;
  throw error;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').trimEnd();
}

function textOf(place: Buffer): string {
  const shown = place.toString('utf8');
  if (Buffer.from(shown, 'utf8').equals(place)) return shown;
  throw new SandboxError('repository', `No branch can be made in ${showPath(place)}: its path is not UTF-8.`);
}
