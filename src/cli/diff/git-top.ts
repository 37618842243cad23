import { existsSync } from 'node:fs';
import path from 'node:path';

/** The nearest folder above, with git metadata, when this one has none itself. */
export function gitTopAbove(root: string): string | undefined {
  if (existsSync(path.join(root, '.git'))) return undefined;
  for (let folder = path.dirname(root); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.git'))) return folder;
    if (folder === path.dirname(folder)) return undefined;
  }
}
