import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../errors.ts';

const NAMES = ['policy.yaml', 'policy.yml', 'policy.json'] as const;

/**
 * The policy in the user's configuration folder; undefined when there is none. A link that leads nowhere is one: who made it
 * wants a policy.
 *
 * @throws SandboxError `policy` when there are several, or the folder cannot be looked into
 */
export async function userPolicyFile(configDir: string): Promise<string | undefined> {
  const found: string[] = [];
  for (const name of NAMES) if (await exists(join(configDir, name))) found.push(name);
  if (found.length > 1) {
    throw new SandboxError('policy', `There are several policies in ${configDir}: ${found.join(', ')}.`, {
      hint: 'Keep one of them.',
    });
  }
  const [name] = found;
  return name === undefined ? undefined : join(configDir, name);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new SandboxError('policy', `Cannot look for a policy at ${path}: the system says ${String(code)}.`, {
      cause: error,
      hint: 'Make the folder readable for you, or set XDG_CONFIG_HOME to another one.',
    });
  }
}
