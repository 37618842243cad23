import { type Branched, type BranchTask, commitOntoBranch } from '../changes/branch/commit.ts';
import { ownedFolder } from '../container/owned-folder.ts';
import { SandboxError } from '../errors.ts';
import { runCommand } from '../lib/command.ts';
import { isolatedGitEnv } from '../lib/git-env.ts';
import { findWorkTree } from '../workspace/git-folder.ts';

export type BranchRequest = Omit<BranchTask, 'git' | 'root' | 'prefix' | 'scratch' | 'author'>;

export interface BranchHost {
  readonly stateRoot: string;
  readonly homeDir: string;
  /** `$XDG_CONFIG_HOME`, else `.config` in the home folder is meant. */
  readonly configHome: string | undefined;
}

/** Who commits where the user's own configuration of git does not say. */
const NOBODY = { name: 'pi-sandbox', email: 'pi-sandbox@localhost' };
const ASK_MS = 10_000;
const MAX_NAME_BYTES = 16 << 10;

/** Commits changes onto a new branch of the repository that the run's folder is in. Rejects with SandboxError. */
export async function commitBranch(request: BranchRequest, host: BranchHost): Promise<Branched & { top: string }> {
  const { root } = request.set;
  const found = await findWorkTree(root);
  if (found === undefined) {
    throw new SandboxError('usage', `${root} is in no git repository, so there is nothing to make a branch in.`, {
      hint: 'Leave --branch out to write to the files.',
    });
  }
  await using scratch = await ownedFolder(host.stateRoot, 'scratch');
  const branched = await commitOntoBranch({
    ...request,
    git: found.git,
    root: Buffer.from(root),
    prefix: Buffer.from(root.slice(found.top.length).replace(/^\//, '')),
    scratch: scratch.folder,
    author: await userOf(scratch.folder, host, request.signal),
  });
  return { ...branched, top: found.top };
}

/** The user's own name, from their own configuration; that of the repository is not asked. */
async function userOf(scratch: string, host: BranchHost, signal: AbortSignal): Promise<BranchTask['author']> {
  const { GIT_CONFIG_GLOBAL: _, ...env } = isolatedGitEnv(scratch);
  const ask = async (key: string): Promise<string | undefined> => {
    try {
      const { stdout } = await runCommand('git', ['config', '--global', '--includes', '--get', key], {
        cwd: scratch,
        env: { ...env, HOME: host.homeDir, XDG_CONFIG_HOME: host.configHome ?? `${host.homeDir}/.config` },
        maxBytes: MAX_NAME_BYTES,
        timeoutMs: ASK_MS,
        signal,
      });
      return Buffer.from(stdout).toString('utf8').trim() || undefined;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  };
  const [name, email] = [await ask('user.name'), await ask('user.email')];
  return name === undefined || email === undefined ? NOBODY : { name, email };
}
