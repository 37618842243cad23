import { MAX_EDITS } from './limits.ts';

/** Half-open ranges of places, counted from 0. */
export interface Range {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/**
 * Shortest edit script between two sequences, as ranges from first to last (E. W. Myers, "An O(ND) difference algorithm
 * and its variations", 1986). Undefined when it takes more than MAX_EDITS insertions and deletions.
 */
export function changedRanges(a: Int32Array, b: Int32Array): Range[] | undefined {
  const most = Math.min(MAX_EDITS, a.length + b.length);
  /** Furthest place in `a` on each diagonal, at index `diagonal + most + 1`. */
  const furthest = new Int32Array(2 * most + 3);
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    steps.push(furthest.slice(most + 1 - edits, most + 2 + edits));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = diagonal + most + 1;
      const down = diagonal === -edits || (diagonal !== edits && furthest[at - 1]! < furthest[at + 1]!);
      let x = edits === 0 ? 0 : down ? furthest[at + 1]! : furthest[at - 1]! + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest[at] = x;
      if (x >= a.length && x - diagonal >= b.length) return walkBack(steps, a.length, b.length);
    }
  }
  return undefined;
}

/** `steps[n]` holds the diagonals -n to n as they were before the n-th edit was made. */
function walkBack(steps: readonly Int32Array[], oldLength: number, newLength: number): Range[] {
  const ranges: Range[] = [];
  let [x, y] = [oldLength, newLength];
  for (let edits = steps.length - 1; edits > 0; edits--) {
    const before = steps[edits]!;
    const furthest = (diagonal: number) => before[diagonal + edits] ?? -1;
    const diagonal = x - y;
    const down = diagonal === -edits || (diagonal !== edits && furthest(diagonal - 1) < furthest(diagonal + 1));
    const fromX = down ? furthest(diagonal + 1) : furthest(diagonal - 1);
    const fromY = fromX - (down ? diagonal + 1 : diagonal - 1);
    const step = { oldFrom: fromX, oldTo: down ? fromX : fromX + 1, newFrom: fromY, newTo: down ? fromY + 1 : fromY };
    const next = ranges.at(-1);
    // Found from the end: a step that touches the one after it belongs to the same place.
    if (next !== undefined && next.oldFrom === step.oldTo && next.newFrom === step.newTo) {
      ranges[ranges.length - 1] = { ...next, oldFrom: step.oldFrom, newFrom: step.newFrom };
    } else ranges.push(step);
    [x, y] = [fromX, fromY];
  }
  return ranges.reverse();
}
