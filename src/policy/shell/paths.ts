import { type ShellPlace, UNKNOWN } from './types.ts';

/**
 * A word as an absolute path: `.` and `..` are resolved, links are not. Undefined when only the shell will know
 * where it starts. @param pattern as in a field
 */
export function absolutePath(pattern: string, folder: string | undefined): string | undefined {
  const start = startOf(pattern, folder);
  if (start === undefined) return undefined;
  const parts: string[] = [];
  for (const part of start.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(simplified(part));
  }
  return `/${parts.join('/')}`;
}

/** A word as rules name it: from the workspace, from `~`, or from `/`. The workspace itself is `.`. */
export function rulePath(pattern: string, folder: string | undefined, place: ShellPlace): string | undefined {
  const path = absolutePath(pattern, folder);
  if (path === undefined) return undefined;
  // A file that is called ~ is not the home.
  return below(path, place.workspace, '.', '')?.replace(/^\\?~/, './~') ?? below(path, place.home, '~', '~/') ?? path;
}

function below(path: string, folder: string, itself: string, prefix: string): string | undefined {
  if (path === folder) return itself;
  return path.startsWith(`${folder}/`) ? prefix + path.slice(folder.length + 1) : undefined;
}

function startOf(pattern: string, folder: string | undefined): string | undefined {
  if (pattern.startsWith('/')) return pattern;
  // Homes of others are left to the shell, which is what starts with ~ here; what is quoted may too, and only adds matches.
  const [, user, rest] = /^~([\w+-]+)(.*)$/s.exec(pattern) ?? [];
  if (user === '+') return folder && folder + rest;
  if (user === 'root') return `/root${rest}`;
  if (user !== undefined) return user === '-' ? undefined : `/home/${user}${rest}`;
  if (pattern.startsWith(UNKNOWN) || folder === undefined) return undefined;
  return `${folder}/${pattern}`;
}

/** A part of wildcards that stands for every name, or every name with a dot, is `*`. */
function simplified(part: string): string {
  if (!/[*?[!@+]/.test(part)) return part;
  if (/^!\(/.test(part)) return '*';
  return /\*/.test(part.replace(/\\./gs, '')) && /^(\*|\?|\[[^\]]*\]|\.)+$/.test(part) ? '*' : part;
}
