import type { Refused } from '../protocol/changes.ts';
import { isGitName } from './git-names.ts';
import { MAX_DEPTH, MAX_NAME_BYTES, MAX_PATH_BYTES } from './limits.ts';

export interface PathProblem {
  readonly reason: Refused['reason'];
  readonly detail: string;
  /** The topmost path that the rule is about: the path itself or a folder above it. */
  readonly at: string;
}

interface PathRule {
  readonly reason: Refused['reason'];
  readonly detail: string;
  /** How many parts from the root make up the topmost path that breaks the rule; undefined when none does. */
  readonly broken: (parts: readonly string[], path: string) => number | undefined;
}

/** Whole and first in order; `C:` and a backslash are plain bytes of a name here, and no name is refused for Windows. */
const RULES: readonly PathRule[] = [
  {
    reason: 'bad-path',
    detail: 'The path is no plain path below the root.',
    broken: (parts, path) =>
      path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..')
        ? parts.length
        : undefined,
  },
  {
    reason: 'git-metadata',
    detail: 'Only git itself writes here: what it finds in such a folder it runs.',
    broken: (parts) => positive(parts.findIndex(isGitName) + 1),
  },
  {
    reason: 'bad-path',
    detail: `It lies more than ${MAX_DEPTH} folders deep.`,
    broken: (parts) => (parts.length > MAX_DEPTH ? MAX_DEPTH + 1 : undefined),
  },
  {
    reason: 'bad-path',
    detail: `A name is longer than ${MAX_NAME_BYTES} bytes.`,
    broken: (parts) => positive(parts.findIndex((part) => part.length > MAX_NAME_BYTES) + 1),
  },
  {
    reason: 'bad-path',
    detail: `The path is longer than ${MAX_PATH_BYTES} bytes.`,
    broken: (parts, path) => (path.length > MAX_PATH_BYTES ? parts.length : undefined),
  },
];

/** What forbids to hand back, to change or to delete something at this path; bytes as Latin-1, `/` between parts. */
export function findPathProblem(path: string): PathProblem | undefined {
  const parts = path.split('/');
  for (const { reason, detail, broken } of RULES) {
    const count = broken(parts, path);
    if (count !== undefined) return { reason, detail, at: parts.slice(0, count).join('/') };
  }
  return undefined;
}

function positive(count: number): number | undefined {
  return count > 0 ? count : undefined;
}
