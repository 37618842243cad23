import { type Finding, finding } from './finding.ts';
import { hiddenLines } from './hidden-text.ts';
import { MAX_DIFF_LINES } from './limits.ts';
import { diffLines, type Hunk } from './line-diff.ts';

const NOTHING = Buffer.alloc(0);

/** Added lines with characters that are not seen. */
export function* judgeHidden(before: Buffer | undefined, after: Buffer): Generator<Finding> {
  // Most contents hide nothing, and need not be compared.
  if (hiddenLines(after, true).next().done === true) return;
  for (const hunk of diffLines(before ?? NOTHING, after)) {
    const known = hunk.exact ? undefined : hiddenBefore(hunk);
    let last = -1;
    let left = MAX_DIFF_LINES;
    for (const { line, character, count, text } of hiddenLines(hunk.added, hunk.line === 1)) {
      // A line that is longer than a block comes in parts.
      if (line === last) continue;
      last = line;
      // With so many, whoever compares them one by one is kept busy.
      if (known?.has(text) === true && --left > 0) continue;
      const at = hunk.line + line;
      yield finding(`${character}${count > 1 ? ` and ${count - 1} more` : ''} in line ${at}`, [at, at]);
    }
  }
}

/** Lines that were there already, although nobody looked closely enough to see that they did not change. */
function hiddenBefore({ removed }: Hunk): Set<string> {
  const known = new Set<string>();
  let left = MAX_DIFF_LINES;
  for (const { text } of hiddenLines(removed, false)) {
    known.add(text);
    if (--left === 0) break;
  }
  return known;
}
