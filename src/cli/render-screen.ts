import { sanitize } from '../lib/sanitize.ts';
import { paint, type Span, type Style, span } from './render-style.ts';
import { fitColumns } from './render-width.ts';

/** Where the human transcript goes, usually stderr. */
export interface Output {
  write(text: string): boolean;
  readonly columns?: number;
}

const DEFAULT_COLUMNS = 80;
/** Unfinished line that is held back without a terminal, UTF-16 units. */
const MAX_HELD = 8_192;
/** Output that waits while somebody else writes, UTF-16 units. */
const MAX_WAITING = 256 * 1024;

/**
 * The only writer of what a command shows while it goes on: everything passes the sanitiser here, and since it alone
 * knows which rows are live, nothing else may write to that terminal meanwhile. Three kinds of output: whole lines, a
 * stream of text, and on a terminal a few live lines at the end that are redrawn in place.
 */
export class Screen {
  readonly #terminal: boolean;
  readonly #out: Output;
  readonly #color: boolean;
  #liveRows = 0;
  /** The cursor stands behind streamed text. */
  #midLine = false;
  /** Streamed text that is not written yet. */
  #held = '';
  #streamStyle: Style = 'plain';
  /** Output that waits while somebody else writes to the terminal. */
  #waiting: { readonly texts: string[]; chars: number; lines: number } | undefined;

  constructor(out: Output, options: { readonly terminal: boolean; readonly color: boolean }) {
    this.#out = out;
    this.#terminal = options.terminal;
    this.#color = options.color && this.#terminal;
  }

  get columns(): number {
    // A terminal that does not know its width says 0.
    return this.#terminal ? this.#out.columns || DEFAULT_COLUMNS : Number.POSITIVE_INFINITY;
  }

  line(...spans: readonly Span[]): void {
    this.endStream();
    this.clearLive();
    this.#write(`${spans.map((part) => paint(this.#safe(part.text), part.style, this.#color)).join('')}\n`);
  }

  /** Leaves the terminal to somebody else, the cursor at the start of a line, until `goOn`. */
  wait(): void {
    this.endStream();
    this.clearLive();
    this.#waiting ??= { texts: [], chars: 0, lines: 0 };
  }

  /** Writes what has waited. */
  goOn(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    for (const text of waiting.texts) this.#out.write(text);
    if (waiting.lines > 0) this.line(span(`! ${waiting.lines} more lines came meanwhile and are not shown`, 'yellow'));
  }

  /** Text as it comes. Without a terminal only whole lines are written, so that nothing can hide in the seams. */
  stream(text: string, style: Style = 'plain'): void {
    if (style !== this.#streamStyle) this.endStream();
    this.#streamStyle = style;
    this.#held += text;
    const ready = this.#terminal ? endOfCharacters(this.#held) : this.#held.lastIndexOf('\n') + 1;
    this.#flush(ready === 0 && this.#held.length > MAX_HELD ? this.#held.length : ready);
  }

  /** Puts the cursor at the start of a line. */
  endStream(): void {
    this.#flush(this.#held.length);
    if (this.#midLine) this.#write('\n');
    this.#midLine = false;
  }

  /** Replaces the live lines. Does nothing without a terminal, or while text is being streamed. */
  live(lines: readonly string[]): void {
    if (!this.#terminal || this.#midLine || this.#waiting !== undefined) return;
    this.clearLive();
    for (const line of lines) {
      const safe = fitColumns(this.#safe(line), this.columns - 1);
      this.#out.write(`${paint(safe, 'dim', this.#color)}\n`);
    }
    this.#liveRows = lines.length;
  }

  clearLive(): void {
    // To the first column, too: a key that the terminal echoed, such as ^C, has moved the cursor.
    if (this.#liveRows > 0) this.#out.write(`\u001b[${this.#liveRows}F\u001b[J`);
    this.#liveRows = 0;
  }

  #flush(length: number): void {
    if (length === 0) return;
    const safe = sanitize(this.#held.slice(0, length), { keepNewlines: true, annotations: !this.#terminal });
    this.#held = this.#held.slice(length);
    if (safe === '') return;
    this.clearLive();
    this.#write(paint(safe, this.#streamStyle, this.#color));
    this.#midLine = !safe.endsWith('\n');
  }

  #write(text: string): void {
    const waiting = this.#waiting;
    if (waiting === undefined) this.#out.write(text);
    else if (waiting.chars + text.length > MAX_WAITING) waiting.lines += text.split('\n').length - 1;
    else {
      waiting.texts.push(text);
      waiting.chars += text.length;
    }
  }

  #safe(text: string): string {
    return sanitize(text, { keepNewlines: false, annotations: !this.#terminal });
  }
}

/** Length without what the next piece may complete: half a surrogate pair, or the CR of a CR LF. */
function endOfCharacters(text: string): number {
  return /[\uD800-\uDBFF\r]$/.test(text) ? text.length - 1 : text.length;
}
