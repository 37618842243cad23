import { chmodSync, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { SandboxError } from '../errors.ts';

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
const WRITABLE_BY_OTHERS = 0o022;

/** The folder exists afterwards and passes `checkPrivateFolder`; what is created gets mode 0700 whatever the umask. */
export function ensurePrivateFolder(path: string): void {
  createPrivateFolder(path);
  checkPrivateFolder(path);
}

/** @throws SandboxError `state` unless it is a real folder of this user that nobody else can write to */
export function checkPrivateFolder(path: string): void {
  const stats = statOf(path);
  const problem = problemOf(stats);
  if (problem === undefined) return;
  throw new SandboxError('state', `The state folder ${path} cannot be used: ${problem.what}.`, { hint: problem.hint });
}

/** Creates it with mode 0700 whatever the umask; false when there is something by that name already. */
export function createPrivateFolder(path: string): boolean {
  try {
    mkdirSync(path, FOLDER_MODE);
    chmodSync(path, FOLDER_MODE);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw cannot('create', path, error);
  }
}

function statOf(path: string): Stats {
  try {
    return lstatSync(path);
  } catch (error) {
    throw cannot('read', path, error);
  }
}

function problemOf(stats: Stats): { what: string; hint: string } | undefined {
  const elsewhere = 'or set XDG_STATE_HOME to another folder';
  if (stats.isSymbolicLink())
    return { what: 'it is a symbolic link', hint: `Replace the link by a folder, ${elsewhere}.` };
  if (!stats.isDirectory()) return { what: 'it is not a folder', hint: `Move the file away, ${elsewhere}.` };
  if (stats.uid !== process.geteuid?.()) {
    return { what: `it belongs to user id ${stats.uid}, not to you`, hint: `Change its owner, ${elsewhere}.` };
  }
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8);
    return { what: `others may write to it (mode ${mode})`, hint: `Run chmod 700 on it, ${elsewhere}.` };
  }
  return undefined;
}

/** A failing system call on a folder of ours. */
export function cannot(verb: string, path: string, cause: unknown): SandboxError {
  return new SandboxError('state', `Cannot ${verb} the state folder ${path}: ${codeOf(cause) ?? String(cause)}.`, {
    cause,
    hint: 'Make its parent folder writable for you, or set XDG_STATE_HOME to another folder.',
  });
}

/** `ENOENT` and the like. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
