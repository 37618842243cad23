import { sanitize } from '../../lib/sanitize.ts';
import { type Span, span } from '../render-style.ts';
import type { Row } from './call-rows.ts';

/** What begins a line of the call, and one that goes on: nothing in a call can look like a line of ours. */
const BEGINS = '  | ';
const GOES_ON = '  : ';
const NOTE = '  ';
/** Columns of a line at least, however narrow the terminal is. */
const MIN_COLUMNS = 20;

/**
 * Rows as lines that fit the terminal, made harmless. Folded by us: a line that the terminal folds would go on in the
 * first column, where our own words stand.
 */
export function* foldRows(rows: readonly Row[], columns: number): Generator<Span[], void> {
  const width = Math.max(MIN_COLUMNS, columns - BEGINS.length - 1);
  for (const { text, style, note } of rows) {
    const safe = sanitize(text, { keepNewlines: false }).replaceAll('\t', '⇥');
    let prefix = note === true ? NOTE : BEGINS;
    for (const part of parts(safe, width)) {
      yield [span(prefix, 'dim'), span(part, style)];
      prefix = note === true ? NOTE : GOES_ON;
    }
  }
}

/** Whatever is not ASCII counts as two columns. Characters of no width went with the sanitiser, but for marks. */
function* parts(text: string, width: number): Generator<string, void> {
  let part = '';
  let used = 0;
  for (const char of text) {
    const takes = char < '\u007f' ? 1 : 2;
    if (used + takes > width) {
      yield part;
      [part, used] = ['', 0];
    }
    part += char;
    used += takes;
  }
  yield part;
}
