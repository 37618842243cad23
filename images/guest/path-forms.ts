import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const UNICODE_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/**
 * The absolute path that a tool of pi 1.6.0 opens for a path argument: Unicode spaces become spaces, one leading `@`
 * is dropped, then `~` and `file://` are resolved. Throws for a `file://` URL that names no local file.
 */
export function resolveToolPath(path: string, cwd: string): string {
  const plain = expand(path.replace(UNICODE_SPACES, ' ').replace(/^@/, ''));
  return isAbsolute(plain) ? resolve(plain) : resolve(cwd, plain);
}

function expand(path: string): string {
  if (path === '~') return homedir();
  if (path.startsWith('~/')) return join(homedir(), path.slice(2));
  return path.startsWith('file://') ? fileURLToPath(path) : path;
}

/** Every path that pi's `read` may open for an argument: it tries spellings that macOS uses when the first is not there. */
export function readCandidates(resolved: string): string[] {
  const decomposed = resolved.normalize('NFD');
  const curly = (path: string): string => path.replace(/'/g, '\u2019');
  const narrowSpace = resolved.replace(/ (AM|PM)\./gi, '\u202F$1.');
  return [...new Set([resolved, narrowSpace, decomposed, curly(resolved), curly(decomposed)])];
}
