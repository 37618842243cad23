import { existsSync } from 'node:fs';
import type { ResolvedPath } from '../../src/protocol/gate.ts';
import { readCandidates, resolveToolPath } from './path-forms.ts';
import { realPathOf } from './real-path.ts';

/** Tools of pi that name one file or folder, in the argument `path`; whether the working folder stands for a missing one. */
const PATH_TOOLS: Readonly<Record<string, { readonly optional: boolean }>> = {
  read: { optional: false },
  write: { optional: false },
  edit: { optional: false },
  grep: { optional: true },
  find: { optional: true },
  ls: { optional: true },
};

/** Longest path that the kernel takes, bytes, its final NUL not counted. */
const MAX_PATH_BYTES = 4095;

export type PathsOfCall =
  | { readonly paths: readonly ResolvedPath[] }
  /** Why the call must not run: pi could not open this path, or the host could not be told of it. */
  | { readonly refused: string };

/**
 * Every file or folder that pi 1.6.0 may open for a call of one of its file tools, for the host to judge: the path as pi
 * makes it absolute and, links followed, as it really is. Of `read` each spelling that exists counts, and the plain one
 * always. Looked at before pi does: a file that is swapped in between is not seen, and a hard link has no other name
 * that could be seen.
 */
export function pathsOfCall(tool: string, input: Readonly<Record<string, unknown>>, cwd: string): PathsOfCall {
  const kind = Object.hasOwn(PATH_TOOLS, tool) ? PATH_TOOLS[tool] : undefined;
  if (kind === undefined) return { paths: [] };
  const given = kind.optional ? (input['path'] ?? '') || '.' : input['path'];
  if (typeof given !== 'string') return { refused: `${tool} needs a path that is a text` };
  let plain: string;
  try {
    plain = resolveToolPath(given, cwd);
  } catch {
    return { refused: `${tool} cannot use this path: it names no file in the sandbox` };
  }
  const others = tool === 'read' ? readCandidates(plain).filter((path) => path !== plain && existsSync(path)) : [];
  const paths: ResolvedPath[] = [];
  for (const resolved of [plain, ...others]) {
    const real = realPathOf(resolved);
    if (tooLong(resolved) || (real !== undefined && tooLong(real)))
      return { refused: `${tool} cannot use this path: it is too long` };
    paths.push({ argument: 'path', resolved, ...(real === undefined ? {} : { real }) });
  }
  return { paths };
}

function tooLong(path: string): boolean {
  return Buffer.byteLength(path) > MAX_PATH_BYTES;
}
