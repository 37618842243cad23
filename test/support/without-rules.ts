import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { SHIPPED_COMMANDS } from '../../src/policy/shipped-commands.ts';
import { SHIPPED_PATHS } from '../../src/policy/shipped-paths.ts';

/**
 * Arguments for a run in which no shipped rule is in the way of what a test does: what holds then is the container. The
 * policy file is written into the folder.
 */
export function withoutRules(folder: string): string[] {
  const file = path.join(folder, 'no-rules.json');
  const off = [...SHIPPED_COMMANDS, ...SHIPPED_PATHS].map(({ id }) => id);
  writeFileSync(file, JSON.stringify({ version: 1, off }), { mode: 0o600 });
  return ['--policy', file];
}
