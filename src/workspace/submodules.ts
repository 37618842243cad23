import { join } from 'node:path';
import { configValues } from './config-values.ts';
import { MAX_RULES_BYTES } from './limits.ts';
import { readRegular } from './read-regular.ts';

/** Paths that the repository declares as submodules, as bytes (latin1). Only used to say why a folder is empty. */
export async function declaredSubmodules(root: string): Promise<Set<string>> {
  const bytes = await readRegular(join(root, '.gitmodules'), MAX_RULES_BYTES, { follow: false });
  return new Set(configValues(bytes?.toString('latin1') ?? '', 'path').filter((path) => path !== ''));
}
