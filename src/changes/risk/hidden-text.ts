import { isAscii } from 'node:buffer';
import { BLOCK_BYTES } from './limits.ts';

/**
 * What is not seen: ignorable by default (bidi controls, zero-width characters, tags, fillers, variation selectors),
 * interlinear annotation marks, C1 controls, and line separators that some languages take for a new line.
 */
const HIDDEN = '[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb\\u0080-\\u009f\\u2028\\u2029]';

const PICTURE = '\\p{Extended_Pictographic}(?:[\\ufe0e\\ufe0f]|\\p{Emoji_Modifier})?';
/** England, Scotland and Wales: a flag with its name in tags. */
const FLAG =
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}';
const KEYCAP = '[0-9#*]\\ufe0f\\u20e3';
/** Scripts in which a joiner or a non-joiner after a letter belongs to the spelling. */
const JOINING = 'Arab Syrc Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mong Tibt'
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const ALLOWED = `${FLAG}|${PICTURE}(?:\\u200d${PICTURE})*|${KEYCAP}|(?<=[${JOINING}])[\\u200c\\u200d]`;

const ANY_HIDDEN = new RegExp(HIDDEN, 'u');
const FIND_HIDDEN = new RegExp(`${ALLOWED}|(${HIDDEN})`, 'gu');

export interface HiddenLine {
  /** Counted from 0, from the first line of the content that was searched. */
  readonly line: number;
  /** Its first hidden character: `U+202E`. */
  readonly character: string;
  readonly count: number;
  /** The whole line, or what of it lies in one block. */
  readonly text: string;
}

/** Lines of UTF-8 bytes with hidden characters; what is not UTF-8 hides none. `atStart`: a byte order mark may lead. */
export function* hiddenLines(content: Buffer, atStart: boolean): Generator<HiddenLine> {
  if (isAscii(content)) return;
  let line = 0;
  for (let from = 0; from < content.length; ) {
    const to = blockEnd(content, from);
    const text = content.toString('utf8', from, to);
    if (ANY_HIDDEN.test(text)) {
      for (const found of findInLines(text, atStart && from === 0)) yield { ...found, line: line + found.line };
    }
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++;
    from = to;
  }
}

/** First hidden character of a name: `U+202E`. */
export function hiddenInName(name: Buffer): string | undefined {
  if (isAscii(name)) return undefined;
  for (const { character } of findInLines(name.toString('utf8').replaceAll('\n', ' '), false)) return character;
  return undefined;
}

function* findInLines(text: string, atStart: boolean): Generator<HiddenLine> {
  let line = 0;
  let from = 0;
  for (let to = lineEnd(text, 0); from < text.length; line++, from = to + 1, to = lineEnd(text, from)) {
    const content = text.slice(from, to);
    if (!ANY_HIDDEN.test(content)) continue;
    let first: string | undefined;
    let count = 0;
    for (const match of content.matchAll(FIND_HIDDEN)) {
      const hidden = match[1];
      const isMark = atStart && line === 0 && match.index === 0 && hidden === '\ufeff';
      if (hidden === undefined || isMark) continue;
      first ??= hidden;
      count++;
    }
    if (first !== undefined) yield { line, character: codePoint(first), count, text: content };
  }
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline;
}

/** After a newline where there is one, so that no sequence is cut; else between two characters. */
function blockEnd(content: Buffer, from: number): number {
  if (content.length - from <= BLOCK_BYTES) return content.length;
  const newline = content.lastIndexOf(0x0a, from + BLOCK_BYTES - 1);
  if (newline >= from) return newline + 1;
  let end = from + BLOCK_BYTES;
  // At most three bytes of a character follow its first.
  for (let back = 0; back < 3 && (content[end]! & 0xc0) === 0x80; back++) end--;
  return end;
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
