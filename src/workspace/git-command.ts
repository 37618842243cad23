import { CommandError, runCommand } from '../lib/command.ts';
import { isolatedGitEnv } from '../lib/git-env.ts';
import { showPath } from '../lib/path-bytes.ts';
import { findTrap } from './find-trap.ts';
import { GIT_SLOW_MS, GIT_TIMEOUT_MS, MAX_IGNORED_BYTES } from './limits.ts';
import type { ScratchGit } from './scratch-git.ts';

/** The host's git and the user's own settings, as the command line found them. */
export interface GitHost {
  /** Absolute path of git; without it git is looked for in the usual places. */
  readonly gitPath?: string;
  /** Home folder; without it no global excludes file is used. */
  readonly homeDir?: string;
  /** `$XDG_CONFIG_HOME`, else `.config` in the home folder is meant. */
  readonly configHome?: string;
}

/**
 * Ignored paths below the listed folder, relative to it, as bytes (latin1); a folder left out whole ends in `/`.
 * Throws CommandError where git is missing, refuses, or gives no answer.
 */
export async function listIgnored(
  scratch: ScratchGit,
  host: GitHost,
  excludesFile: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const watch = new AbortController();
  let trap: Buffer | undefined;
  const timer = setTimeout(async () => {
    trap = await findTrap(Buffer.from(scratch.listed), watch.signal).catch(() => undefined);
    if (trap !== undefined) watch.abort();
  }, GIT_SLOW_MS);
  try {
    return await list(
      scratch,
      host,
      excludesFile,
      AbortSignal.any([watch.signal, ...(signal === undefined ? [] : [signal])]),
    );
  } catch (error) {
    if (trap === undefined) throw error;
    const name = showPath(trap.subarray(scratch.listed.length + 1));
    throw new CommandError('git', 'failed', `cannot be used, because it would wait for ever at the FIFO ${name}`, {});
  } finally {
    clearTimeout(timer);
    watch.abort();
  }
}

async function list(
  scratch: ScratchGit,
  host: GitHost,
  excludesFile: string | undefined,
  signal: AbortSignal,
): Promise<Set<string>> {
  const { stdout } = await runCommand(
    host.gitPath ?? 'git',
    [
      '-c',
      `core.excludesFile=${excludesFile ?? '/dev/null'}`,
      `--git-dir=${scratch.gitDir}`,
      `--work-tree=${scratch.workTree}`,
      'ls-files',
      '-z',
      '--others',
      '--ignored',
      '--exclude-standard',
      '--directory',
    ],
    {
      cwd: scratch.listed,
      env: isolatedGitEnv(scratch.gitDir),
      maxBytes: MAX_IGNORED_BYTES,
      timeoutMs: GIT_TIMEOUT_MS,
      signal,
    },
  );
  const paths = Buffer.from(stdout).toString('latin1').split('\0');
  paths.pop();
  return new Set(paths);
}
