/** Sets of ASCII characters as bits, so that a run of them is found with one look per character. */
const UPPER = 1;
const LOWER = 2;
const DIGIT = 4;
const UNDERSCORE = 8;
const DASH = 16;
const DOT = 32;
/** `+`, `/` */
const BASE64_SIGNS = 64;
const EQUALS = 128;
const SPACE = 256;
/** Ends the value of a variable. */
const CLOSING = 512;
/** Cannot be in the user name or password of an address. */
const NO_USER = 1_024;

export const NAME = UPPER | DIGIT | UNDERSCORE;
export const ALNUM = UPPER | LOWER | DIGIT;
export const WORD = ALNUM | UNDERSCORE;
export const URL_SAFE = WORD | DASH;
export const DOTTED = URL_SAFE | DOT;
export const BASE64 = ALNUM | BASE64_SIGNS;
/** What may follow `Bearer`, RFC 6750. */
export const TOKEN68 = DOTTED | BASE64_SIGNS | EQUALS;
export const BLANK = SPACE;
export const VALUE_END = CLOSING;
export const USER_END = NO_USER;

const KINDS = new Uint16Array(128);
const mark = (from: string, to: string, kind: number): void => {
  for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) KINDS[code] = (KINDS[code] as number) | kind;
};
mark('A', 'Z', UPPER);
mark('a', 'z', LOWER);
mark('0', '9', DIGIT);
mark('_', '_', UNDERSCORE);
mark('-', '-', DASH);
mark('.', '.', DOT);
mark('+', '+', BASE64_SIGNS);
mark('/', '/', BASE64_SIGNS);
mark('=', '=', EQUALS);
mark('~', '~', EQUALS);
for (const blank of ' \t\r\n') mark(blank, blank, SPACE);
mark('\0', ' ', CLOSING | NO_USER);
for (const sign of '"\'`;,()<>\\|[]') mark(sign, sign, CLOSING);
for (const sign of '/:@"\'`<>\\?#|()') mark(sign, sign, NO_USER);

/** Whether the character at `at` belongs to a set; false outside of the text. */
export function isAt(text: string, at: number, set: number): boolean {
  // NaN outside of the text, and then no index.
  return ((KINDS[text.charCodeAt(at)] ?? 0) & set) !== 0;
}

/** Where a run of characters of a set ends, `most` characters on at the latest. */
export function runEnd(text: string, from: number, set: number, most: number): number {
  const last = Math.min(text.length, from + most);
  let at = from;
  while (at < last && isAt(text, at, set)) at++;
  return at;
}

/** Where the first character of a set is, `most` characters on at the latest. */
export function runUntil(text: string, from: number, set: number, most: number): number {
  const last = Math.min(text.length, from + most);
  let at = from;
  while (at < last && !isAt(text, at, set)) at++;
  return at;
}

/** Where the first character that is none of `chars` is, `most` characters on at the latest. */
export function skip(text: string, from: number, most: number, chars: string): number {
  const last = Math.min(text.length, from + most);
  let at = from;
  while (at < last && chars.includes(text.charAt(at))) at++;
  return at;
}

/** Whether something may begin here: none of a set stands before, or only the letter of an escape such as `\n`. */
export function beginsAt(text: string, at: number, set: number): boolean {
  return !isAt(text, at - 1, set) || (text[at - 2] === '\\' && /[nrt]/.test(text[at - 1] ?? ''));
}
