import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isGitName } from '../changes/git-names.ts';
import { SandboxError } from '../errors.ts';
import { checkRoot } from '../workspace/root.ts';
import { environment } from './environment.ts';

/**
 * Real path of the folder that is written to: the one given, else the repository of the run. Rejects with SandboxError
 * when it is a link, no folder, in a `.git`, or holds more than a project.
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
  return checkRoot(real, { stateDir: environment.stateRoot, homeDir: environment.homeDir });
}

function refused(folder: string, why: string, to: string | undefined): SandboxError {
  return new SandboxError(to === undefined ? 'refused' : 'usage', `Nothing can be applied to ${folder}: ${why}.`, {
    hint: 'Name an existing folder with --to DIR.',
  });
}
