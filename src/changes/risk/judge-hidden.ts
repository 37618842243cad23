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
    for (const { line, character, count, text } of hiddenLines(hunk.added, hunk.line === 1)) {
      if (known?.has(text) === true) continue;
      const at = hunk.line + line;
      yield finding(`${character}${count > 1 ? ` and ${count - 1} more` : ''} in line ${at}`, [at, at]);
    }
  }
}

/** Lines that were there already, although nobody looked closely enough to see that they did not change. */
function hiddenBefore({ removed }: Hunk): Set<string> {
  const known = new Set<string>();
  for (const { text } of hiddenLines(removed, false)) {
    if (known.size === MAX_DIFF_LINES) break;
    known.add(text);
  }
  return known;
}
