import { type Finding, finding } from './finding.ts';
import { countLines, type Hunk } from './line-diff.ts';

const CHECKSUM = /\bsha\d{1,3}[-:=][A-Za-z0-9+/]{16,}={0,2}|\bh1:[A-Za-z0-9+/]{16,}={0,2}|\b[0-9a-f]{32,}\b/g;
/** Checksums over the file itself, which change with every change. */
const OF_THE_FILE = /content.hash|^\s*"sha256"\s*:/;
/** A checksum on a line of its own. */
const ALONE = /^\s*"?(?:integrity|checksum|shasum)"?\s*[:= ]/;
/** Unchanged lines between two places that may belong to one package. */
const MAX_APART = 6;

/** Places where a checksum changed or went away and nothing else did: the same version has another content. */
export function* findChangedChecksum(hunks: readonly Hunk[]): Generator<Finding> {
  for (const group of neighbours(hunks)) {
    const removed = group.flatMap(({ removed }) => linesOf(removed));
    const added = group.flatMap(({ added }) => linesOf(added));
    const hadOne = removed.some((line) => withoutChecksum(line) !== line);
    if (!hadOne || same(removed, added)) continue;
    const line = group[0]!.line;
    const lines: [number, number] = [line, line + Math.max(0, countLines(group[0]!.added) - 1)];
    if (same(removed.map(withoutChecksum), added.map(withoutChecksum))) {
      yield finding('another checksum for the same version', lines);
    } else if (added.length === 0 && removed.every((text) => ALONE.test(text))) {
      yield finding('a checksum, removed', [line, line]);
    }
  }
}

function neighbours(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const hunk of hunks) {
    if (hunk.line - end > MAX_APART) groups.push([]);
    groups.at(-1)!.push(hunk);
    end = hunk.line + countLines(hunk.added);
  }
  return groups;
}

function linesOf(text: Buffer): string[] {
  return text
    .toString('latin1')
    .split('\n')
    .filter((line) => line.trim() !== '' && !OF_THE_FILE.test(line));
}

function withoutChecksum(line: string): string {
  return line.replace(CHECKSUM, '#');
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
