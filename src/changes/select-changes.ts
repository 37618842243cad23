import path from 'node:path';
import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { parsePath, showPath } from '../lib/path-bytes.ts';
import type { Change, ChangeSet } from '../protocol/changes.ts';

/** Changes that are looked at for a name that was meant. */
const MAX_CANDIDATES = 5_000;
const ALL = 'Leave it out for all changes.';

/**
 * The changes at or below the named paths, in the order of the set; all when none is named. A relative path is taken from
 * `cwd` (a real path) when that lies in the repository, else from its root, and may be written escaped, as it is shown.
 *
 * @throws SandboxError `usage` for a path that selects nothing
 */
export function selectChanges(set: ChangeSet, named: readonly string[], cwd: string): Change[] {
  if (named.length === 0) return [...set.changes];
  // Latin-1: one character a byte, so that text functions work on bytes.
  const keys = set.changes.map((change) => latin1(parsePath(change.path)));
  const selected = new Set<number>();
  for (const name of named) {
    // A variable that holds nothing must not stand for everything.
    if (name === '') throw new SandboxError('usage', 'An empty path names nothing.', { hint: ALL });
    const found = below(keys, relativeKey(set.root, cwd, Buffer.from(name)));
    // As typed first: a name may hold a backslash of its own.
    const hits = found.length > 0 ? found : below(keys, relativeKey(set.root, cwd, parsePath(name)));
    if (hits.length === 0) throw nothingThere(set, name, relativeKey(set.root, cwd, parsePath(name)));
    for (const hit of hits) selected.add(hit);
  }
  return set.changes.filter((_, at) => selected.has(at));
}

/** Places of the keys at or below a path; undefined: outside. */
function below(keys: readonly string[], key: string | undefined): number[] {
  if (key === undefined) return [];
  const folder = `${key}/`;
  return keys.flatMap((one, at) => (key === '' || one === key || one.startsWith(folder) ? [at] : []));
}

/** Relative to the root, without `.` and `..`; undefined when it lies outside. */
function relativeKey(root: string, cwd: string, name: Buffer): string | undefined {
  const top = latin1(Buffer.from(root));
  const here = latin1(Buffer.from(cwd));
  const base = here === top || here.startsWith(`${top}/`) ? here : top;
  const full = path.posix.resolve(base, latin1(name));
  if (full === top) return '';
  return full.startsWith(`${top}/`) ? full.slice(top.length + 1) : undefined;
}

function nothingThere(set: ChangeSet, name: string, key: string | undefined): SandboxError {
  if (key === undefined) {
    return new SandboxError('usage', `"${name}" lies outside of the repository ${set.root}.`, {
      hint: 'Name paths as the list of changes shows them.',
    });
  }
  const wanted = showPath(Buffer.from(key, 'latin1'));
  const refused = set.refused.find((one) => one.path === wanted);
  if (refused !== undefined) {
    return new SandboxError('usage', `"${wanted}" was not handed back: ${refused.detail}`);
  }
  const guess = nearest(
    wanted,
    set.changes.slice(0, MAX_CANDIDATES).map((change) => change.path),
  );
  return new SandboxError('usage', `Run ${set.run} changed nothing at or below "${wanted}".`, {
    hint: `${guess === undefined ? '' : `Did you mean "${guess}"? `}"pi-sandbox diff ${set.run} --stat" lists all changes.`,
  });
}

function latin1(bytes: Buffer): string {
  return bytes.toString('latin1');
}
