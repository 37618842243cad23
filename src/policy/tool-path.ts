import { isAbsolute, join, resolve } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

const UNICODE_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** Where paths of a call start from, inside. */
export interface Surroundings {
  readonly workspace: string;
  readonly home: string;
}

/**
 * The absolute path that a tool of pi 1.6.0 makes of a path argument, links not followed: Unicode spaces become spaces,
 * one leading `@` is dropped, then `~` and `file://` are resolved. The host's own account of it, beside the guard's.
 * Undefined for a `file://` URL that names no local file: pi cannot open it either.
 */
export function resolveToolPath(path: string, { workspace, home }: Surroundings): string | undefined {
  const plain = path.replace(UNICODE_SPACES, ' ').replace(/^@/, '');
  if (plain === '~') return home;
  if (plain.startsWith('~/')) return join(home, plain.slice(2));
  if (!plain.startsWith('file://')) return resolve(workspace, plain);
  const local = fromUrl(plain);
  return local === undefined || !isAbsolute(local) ? undefined : resolve(local);
}

function fromUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url, { windows: false });
  } catch {
    return undefined;
  }
}

/** Every path that pi's `read` may open instead, since the host cannot see which exists: spellings that macOS uses. */
export function readSpellings(resolved: string): string[] {
  const decomposed = resolved.normalize('NFD');
  const curly = (path: string): string => path.replace(/'/g, '\u2019');
  const narrowSpace = resolved.replace(/ (AM|PM)\./gi, '\u202F$1.');
  return [...new Set([resolved, narrowSpace, decomposed, curly(resolved), curly(decomposed)])];
}
