import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of package.json, Dockerfile.pi and images/, wherever below it this code lies: source, built or bundled. */
export const productRoot = findUp(dirname(fileURLToPath(import.meta.url)));

function findUp(folder: string): string {
  if (existsSync(join(folder, 'Dockerfile.pi'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('pi-sandbox is not installed completely: Dockerfile.pi is missing');
  return findUp(parent);
}
