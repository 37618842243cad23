import type { GitHost } from '../workspace/git-command.ts';
import type { RunHost } from './host.ts';

/** Where the user's own settings for git are. */
export function gitHost(host: RunHost): GitHost {
  const configHome = host.env('XDG_CONFIG_HOME');
  return { homeDir: host.homeDir, ...(configHome === undefined ? {} : { configHome }) };
}
