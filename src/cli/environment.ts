import { hostname, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { EndpointEnv } from '../container/endpoint.ts';
import { stateRoot } from '../transcript/state-root.ts';

/** What the command line takes from the process it runs in. The only file that reads process.env. */
export const environment = {
  env: (name: string): string | undefined => process.env[name],
  get all(): Readonly<Record<string, string | undefined>> {
    return process.env;
  },
  get endpoint(): EndpointEnv {
    return process.env;
  },
  get stateRoot(): string {
    return stateRoot(process.env);
  },
  get homeDir(): string {
    return process.env.HOME || userInfo().homedir;
  },
  /** Where a user keeps a policy: `$XDG_CONFIG_HOME/pi-sandbox`, a relative one ignored as its specification asks. */
  get forPolicy(): { configDir: string } {
    const { XDG_CONFIG_HOME: config } = process.env;
    const base = config !== undefined && isAbsolute(config) ? config : join(environment.homeDir, '.config');
    return { configDir: join(base, 'pi-sandbox') };
  },
  /** Where pi keeps its logins and providers: `$PI_CODING_AGENT_DIR`, in which it replaces a leading tilde, or its own place. */
  get piFolder(): string {
    const { PI_CODING_AGENT_DIR: named } = process.env;
    if (!named) return join(environment.homeDir, '.pi/agent');
    return resolve(named.replace(/^~(?=\/|$)/, () => environment.homeDir));
  },
  get machine(): string {
    return hostname();
  },
  /** What npm needs to install packages: where it keeps its settings, and how to reach its registry. */
  forNpm(): Record<string, string> {
    const wanted =
      /^(PATH|HOME|USER|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(https?|no)_proxy|npm_config_.*)$/i;
    const entries = Object.entries(process.env).filter(([name, value]) => wanted.test(name) && value !== undefined);
    return Object.fromEntries(entries) as Record<string, string>;
  },
  /** What a pager needs: its place, its settings, and what the terminal is. Text is UTF-8, colours are wanted. */
  forPager(): Record<string, string> {
    const wanted = /^(PATH|HOME|TERM|TERMINFO|LANG|LC_[A-Z]+|LESS[A-Z_]*|COLUMNS|LINES)$/;
    const entries = Object.entries(process.env).filter(([name, value]) => wanted.test(name) && value !== undefined);
    return { LESS: 'FRX', LESSCHARSET: 'utf-8', ...(Object.fromEntries(entries) as Record<string, string>) };
  },
  /** What a stream can show. A dumb terminal obeys no escape codes and is written to like a file. */
  display(stream: { isTTY?: boolean }): { terminal: boolean; color: boolean } {
    const terminal = stream.isTTY === true && process.env.TERM !== 'dumb';
    return { terminal, color: terminal && !process.env.NO_COLOR };
  },
};
