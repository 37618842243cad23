import { existsSync, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isGitFolder } from '../changes/apply/git-on-disk.ts';
import { isGitName } from '../changes/git-names.ts';
import { SandboxError } from '../errors.ts';
import { joinPath } from '../lib/path-bytes.ts';
import { checkRoot } from '../workspace/root.ts';
import { environment } from './environment.ts';

/**
 * Real path of the folder that is written to: the one given, else the repository of the run. Rejects with SandboxError
 * when it is a link, no folder, in a git folder, or holds more than a project.
 */
export async function applyTarget(root: string, to: string | undefined): Promise<string> {
  const asked = to ?? root;
  const found = lstatSync(asked, { throwIfNoEntry: false });
  if (found === undefined) throw refused(asked, 'it does not exist', to);
  if (found.isSymbolicLink()) throw refused(asked, 'it is a symbolic link', to);
  if (!found.isDirectory()) throw refused(asked, 'it is not a folder', to);
  const real = realpathSync(asked);
  // What lies there now was not sent in.
  if (to === undefined && real !== root) throw refused(asked, `a part of the path is a link now, to ${real}`, to);
  if (real.split(path.sep).some((part) => isGitName(Buffer.from(part).toString('latin1'))))
    throw refused(asked, 'it is in a .git', to);
  if (to !== undefined && liesInRepository(real)) throw refused(asked, 'it is where git keeps a repository', to);
  return checkRoot(real, { stateDir: environment.stateRoot, homeDir: environment.homeDir });
}

/** A work tree may lie in a bare repository; what is above its top does not count. */
function liesInRepository(folder: string): boolean {
  const at = (name: Buffer): Buffer => joinPath(Buffer.from(folder), name);
  if (existsSync(at(Buffer.from('.git')))) return false;
  if (isGitFolder(at)) return true;
  const parent = path.dirname(folder);
  return parent !== folder && liesInRepository(parent);
}

function refused(folder: string, why: string, to: string | undefined): SandboxError {
  return new SandboxError(to === undefined ? 'refused' : 'usage', `Nothing can be applied to ${folder}: ${why}.`, {
    hint: 'Name an existing folder with --to DIR.',
  });
}
