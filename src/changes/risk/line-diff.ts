import { MAX_DIFF_BYTES, MAX_DIFF_LINES } from './limits.ts';
import { changedRanges } from './myers.ts';

/** One changed place. */
export interface Hunk {
  /** Number of its first line in the new content, from 1; where lines were only removed, of the line that follows. */
  readonly line: number;
  readonly removed: Buffer;
  readonly added: Buffer;
  /** False where it may hold unchanged lines too, because the contents differ too much to look closer. */
  readonly exact: boolean;
}

const LF = 0x0a;

/** Changed places, from the top. The work is bounded: where much differs, everything in between is one place. */
export function diffLines(before: Buffer, after: Buffer): Hunk[] {
  const start = commonStart(before, after);
  const tail = commonTail(before, after, start);
  const removed = before.subarray(start, before.length - tail);
  const added = after.subarray(start, after.length - tail);
  if (removed.length === 0 && added.length === 0) return [];
  const line = countLines(after.subarray(0, start)) + 1;
  const whole = { line, removed, added, exact: removed.length === 0 || added.length === 0 };
  if (whole.exact || removed.length + added.length > MAX_DIFF_BYTES) return [whole];
  const [oldEnds, newEnds] = [lineEnds(removed), lineEnds(added)];
  if (oldEnds.length + newEnds.length > MAX_DIFF_LINES) return [whole];
  const ids = new Map<string, number>();
  const ranges = changedRanges(identify(removed, oldEnds, ids), identify(added, newEnds, ids));
  if (ranges === undefined) return [whole];
  return ranges.map(({ oldFrom, oldTo, newFrom, newTo }) => ({
    line: line + newFrom,
    removed: removed.subarray(oldEnds[oldFrom - 1] ?? 0, oldEnds[oldTo - 1] ?? 0),
    added: added.subarray(newEnds[newFrom - 1] ?? 0, newEnds[newTo - 1] ?? 0),
    exact: true,
  }));
}

/** Bytes of whole lines, as an editor counts them: the last one need not end with a newline. */
export function countLines(content: Buffer): number {
  let count = 0;
  let from = 0;
  for (let at = content.indexOf(LF); at >= 0; at = content.indexOf(LF, from)) {
    count++;
    from = at + 1;
  }
  return from < content.length ? count + 1 : count;
}

/** Length of the equal lines at the start. */
function commonStart(a: Buffer, b: Buffer): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  if (at === a.length && at === b.length) return at;
  return at === 0 ? 0 : a.lastIndexOf(LF, at - 1) + 1;
}

/** Length of the equal lines at the end that are not part of those at the start. */
function commonTail(a: Buffer, b: Buffer, start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let tail = 0;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const startsLine = (content: Buffer) => content.length - tail === start || content[content.length - tail - 1] === LF;
  while (tail > 0 && !(startsLine(a) && startsLine(b))) tail--;
  return tail;
}

function lineEnds(content: Buffer): number[] {
  const ends: number[] = [];
  for (let at = content.indexOf(LF); at >= 0; at = content.indexOf(LF, at + 1)) ends.push(at + 1);
  if ((ends.at(-1) ?? 0) < content.length) ends.push(content.length);
  return ends;
}

/** Equal lines get equal numbers. */
function identify(content: Buffer, ends: readonly number[], ids: Map<string, number>): Int32Array {
  return Int32Array.from(ends, (end, index) => {
    const line = content.toString('latin1', ends[index - 1] ?? 0, end);
    const known = ids.get(line) ?? ids.size;
    ids.set(line, known);
    return known;
  });
}
