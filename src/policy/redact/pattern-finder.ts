import type { LinearRegExp } from '../../lib/linear-regexp.ts';

/** Longest piece of a line that is looked at as a whole, characters, and how far two pieces overlap. */
export const MAX_LINE = 16_384;
const OVERLAP = 512;
/** Matches in one piece; where there are more, all of the rest of the piece counts as one. It bounds the time. */
const MAX_MATCHES = 100;

/** Places where a user's pattern matches, line by line. */
export function* patternMatches(
  pattern: LinearRegExp,
  text: string,
  from: number,
): Generator<{ readonly start: number; readonly end: number }, void> {
  // Much faster than to look for places, and nearly always the answer.
  if (!pattern.test(from === 0 ? text : text.slice(from))) return;
  for (const { start, end } of pieces(text, from)) {
    const piece = text.slice(start, end);
    if (!pattern.test(piece)) continue;
    let count = 0;
    for (const match of pattern.matches(piece)) {
      if (++count > MAX_MATCHES) {
        yield { start: start + match.start, end };
        break;
      }
      yield { start: start + match.start, end: start + match.end };
    }
  }
}

function* pieces(text: string, from: number): Generator<{ start: number; end: number }, void> {
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    for (let at = start; at < end; at += MAX_LINE - OVERLAP) {
      yield { start: at, end: Math.min(end, at + MAX_LINE) };
      if (at + MAX_LINE >= end) break;
    }
    start = end + 1;
  }
}
