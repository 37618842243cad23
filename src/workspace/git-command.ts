import { CommandError, runCommand } from '../lib/command.ts';
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

/** Folders in which git is looked for. The caller's PATH is not used: it may name a folder of the repository. */
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/opt/local/bin';

/** Nothing of the caller's environment and no configuration but the scratch folder's own. */
export function gitEnv(scratch: ScratchGit): Record<string, string> {
  return {
    PATH: SEARCH_PATH,
    HOME: scratch.gitDir,
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
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
      env: gitEnv(scratch),
      maxBytes: MAX_IGNORED_BYTES,
      timeoutMs: GIT_TIMEOUT_MS,
      signal,
    },
  );
  const paths = Buffer.from(stdout).toString('latin1').split('\0');
  paths.pop();
  return new Set(paths);
}
