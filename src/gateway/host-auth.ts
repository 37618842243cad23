import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { AuthContext } from '@earendil-works/pi-ai';

/** pi-ai's view of the host: the environment as it was handed over, and whether files exist. Notes what was asked for. */
export function hostAuthContext(env: (name: string) => string | undefined, asked: Set<string>): AuthContext {
  return {
    env: async (name) => {
      asked.add(name);
      const value = env(name);
      return value === undefined || value.trim() === '' ? undefined : value;
    },
    fileExists: async (path) => {
      try {
        await access(path.startsWith('~') ? homedir() + path.slice(1) : path);
        return true;
      } catch {
        return false;
      }
    },
  };
}
