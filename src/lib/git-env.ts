/** Folders in which git is looked for. The caller's PATH is not used: it may name a folder of the repository. */
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/opt/local/bin';

/**
 * Environment for the host's git on a git folder of ours: nothing of the caller's, no configuration and no attributes but
 * that folder's own, no question, no network. `home` should hold nothing that git reads.
 */
export function isolatedGitEnv(home: string): Record<string, string> {
  return {
    PATH: SEARCH_PATH,
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    // An empty list: no way of transport at all.
    GIT_ALLOW_PROTOCOL: '',
  };
}
