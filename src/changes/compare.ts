import { showPath } from '../lib/path-bytes.ts';
import type { Change } from '../protocol/changes.ts';
import type { Manifest, ManifestEntry } from '../protocol/manifest.ts';
import { stateOf } from './file-state.ts';
import { impliedFolders, parentOf, pathBytes } from './path-keys.ts';
import { findPathProblem } from './path-rules.ts';
import type { Refusals } from './refusals.ts';

/** A change before anybody judged it, with the entries that it comes from. */
export interface FoundChange {
  readonly key: string;
  readonly change: Omit<Change, 'risks'>;
  readonly before: ManifestEntry | undefined;
  readonly after: ManifestEntry | undefined;
}

/**
 * Paths of the start that are not among the end's entries and stay nevertheless: refused ones, those that may never be
 * deleted, and, where the archive does not tell (`told` false), all of them.
 */
export function findStaying(
  start: Manifest,
  end: Map<string, ManifestEntry>,
  refusals: Refusals,
  told: boolean,
): Set<string> {
  const staying = new Set<string>();
  for (const key of start.keys()) {
    if (end.has(key)) continue;
    const problem = findPathProblem(key);
    if (problem !== undefined) refusals.add(problem.at, problem.reason, problem.detail, problem.at !== key);
    const at = refusals.covering(key);
    const replaced = replacedFolder(key, end);
    if (at === undefined && (told || replaced !== undefined)) continue;
    if (at !== undefined && replaced !== undefined) {
      // Its folder cannot become something else while it is in there.
      const { reason, detail } = refusals.get(at)!;
      refusals.add(replaced, reason, `It was a folder, and something in it is not handed back. ${detail}`);
      end.delete(replaced);
    }
    staying.add(key);
  }
  for (const key of [...staying]) {
    for (let folder = parentOf(key); folder !== '' && !staying.has(folder); folder = parentOf(folder)) {
      staying.add(folder);
    }
  }
  return staying;
}

/** The path above this one that is no folder any more. */
function replacedFolder(key: string, end: Manifest): string | undefined {
  for (let at = parentOf(key); at !== ''; at = parentOf(at)) {
    const entry = end.get(at);
    if (entry !== undefined) return entry.type === 'dir' ? undefined : at;
  }
  return undefined;
}

/** Start against end, sorted by path. */
export function compareTrees(start: Manifest, end: Manifest, staying: ReadonlySet<string>): FoundChange[] {
  const found: FoundChange[] = [];
  const startFolders = impliedFolders(start.keys(), start);
  const folder = (key: string): ManifestEntry => ({ path: pathBytes(key), type: 'dir', mode: 0o755, size: 0 });
  const add = (key: string, before: ManifestEntry | undefined, after: ManifestEntry | undefined) => {
    const change = describe(key, before, after);
    if (change !== undefined) found.push({ key, change, before, after });
  };
  for (const [key, after] of end) {
    const before = start.get(key) ?? (startFolders.has(key) ? folder(key) : undefined);
    if (before !== after) add(key, before, after);
  }
  const endFolders = impliedFolders(end.keys(), end);
  for (const key of endFolders) {
    const before = start.get(key) ?? (startFolders.has(key) ? folder(key) : undefined);
    if (before?.type !== 'dir') add(key, before, folder(key));
  }
  for (const [key, before] of start) {
    if (!end.has(key) && !endFolders.has(key) && !staying.has(key)) add(key, before, undefined);
  }
  return found.sort((one, other) => (one.key < other.key ? -1 : 1));
}

function describe(
  key: string,
  before: ManifestEntry | undefined,
  after: ManifestEntry | undefined,
): Omit<Change, 'risks'> | undefined {
  const path = showPath(pathBytes(key));
  if (before === undefined) return after && { path, kind: 'add', after: stateOf(after) };
  if (after === undefined) return { path, kind: 'delete', before: stateOf(before) };
  const states = { before: stateOf(before), after: stateOf(after) };
  if (before.type !== after.type) return { path, kind: 'type', ...states };
  if (before.type === 'dir') return undefined;
  const kind = before.type === 'file' && before.sha256 === after.sha256 ? 'mode' : 'modify';
  return { path, kind, ...states };
}
