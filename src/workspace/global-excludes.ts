import { isAbsolute } from 'node:path';
import { runCommand } from '../lib/command.ts';
import { isolatedGitEnv } from '../lib/git-env.ts';
import type { GitHost } from './git-command.ts';
import { GIT_TIMEOUT_MS, MAX_RULES_BYTES } from './limits.ts';
import { readRegular } from './read-regular.ts';
import type { ScratchGit } from './scratch-git.ts';

/** Longest path that the user's configuration may give, bytes. */
const MAX_SETTING_BYTES = 64 << 10;

/** Where git looks for the user's excludes file when no configuration names one. */
export function defaultExcludesFile(host: GitHost): string | undefined {
  return host.homeDir === undefined ? undefined : `${configHome(host, host.homeDir)}/git/ignore`;
}

/**
 * The user's own global excludes file, as their own global configuration names it. That configuration is outside the
 * repository, and asking for one key of it runs nothing.
 */
export async function findExcludesFile(
  scratch: ScratchGit,
  host: GitHost,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const home = host.homeDir;
  if (home === undefined || !(await mayNameExcludesFile(host, home))) return defaultExcludesFile(host);
  const { GIT_CONFIG_GLOBAL: _, ...env } = isolatedGitEnv(scratch.gitDir);
  try {
    const { stdout } = await runCommand(
      host.gitPath ?? 'git',
      [`--git-dir=${scratch.gitDir}`, ...['config', '--includes', '--type=path', '-z', '--get', 'core.excludesFile']],
      {
        cwd: scratch.gitDir,
        env: { ...env, HOME: home, XDG_CONFIG_HOME: configHome(host, home) },
        maxBytes: MAX_SETTING_BYTES,
        timeoutMs: GIT_TIMEOUT_MS,
        ...(signal === undefined ? {} : { signal }),
      },
    );
    const path = Buffer.from(stdout).toString('utf8').replace(/\0$/, '');
    return isAbsolute(path) ? path : undefined;
  } catch {
    signal?.throwIfAborted();
    return defaultExcludesFile(host);
  }
}

/** Whether the user may have ignore rules of their own, for every repository. */
export async function mayHaveGlobalExcludes(host: GitHost): Promise<boolean> {
  const file = defaultExcludesFile(host);
  if (file !== undefined && (await readRegular(file, MAX_RULES_BYTES)) !== undefined) return true;
  return host.homeDir !== undefined && (await mayNameExcludesFile(host, host.homeDir));
}

/** Saves most runs a second start of git. */
async function mayNameExcludesFile(host: GitHost, home: string): Promise<boolean> {
  for (const file of [`${home}/.gitconfig`, `${configHome(host, home)}/git/config`]) {
    const bytes = await readRegular(file, MAX_RULES_BYTES);
    if (bytes !== undefined && /excludesfile|include/i.test(bytes.toString('latin1'))) return true;
  }
  return false;
}

function configHome(host: GitHost, home: string): string {
  return host.configHome ?? `${home}/.config`;
}
