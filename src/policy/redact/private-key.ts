import { BASE64, BLANK, isAt } from './chars.ts';
import { type Looker, nothing } from './look.ts';

/** Longest line `-----BEGIN ...-----`, characters. */
const MAX_LABEL = 64;
/** Longest key, characters: RSA with 16,384 bits has 13,000. */
const MAX_KEY = 16_384;
/** Base64 that is worth the name of a key, characters. */
const MIN_KEY = 40;

const LABEL = /^[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?$/;

/**
 * A block `-----BEGIN PRIVATE KEY-----`, whole or cut off. Line breaks may be written as `\n`, and lines may have something
 * before them, as in a patch. Its label in a program, without a key behind it, is none.
 */
export const privateKey: Looker = (text, at, after) => {
  const closing = text.slice(after, after + MAX_LABEL).indexOf('-----');
  const ends = Math.min(text.length, after + MAX_LABEL);
  if (closing < 0) return nothing(at, ends, ends === text.length && /^[A-Z0-9 ]*-*$/.test(text.slice(after)));
  const label = text.slice(after, after + closing);
  if (!LABEL.test(label)) return nothing(at, ends);
  const body = after + closing + 5;
  const limit = Math.min(text.length, body + MAX_KEY);
  const next = text.slice(body, limit).indexOf('-----');
  if (next < 0) return cutOff(text, at, body, limit);
  const mark = body + next;
  const looked = mark + 5;
  if (!text.startsWith('-----END ', mark)) {
    if (text.length < mark + 9) return { ...cutOff(text, at, body, mark), open: true };
    return cutOff(text, at, body, mark);
  }
  const tail = `-----END ${label}-----`;
  const open = text.length < mark + tail.length;
  const end = text.startsWith(tail, mark) ? mark + tail.length : looked;
  // Two labels in a program, with its own words between them.
  if (/[;(){}]/.test(text.slice(body, mark))) return cutOff(text, at, body, mark);
  const enough = keyCharacters(text, body, mark) >= MIN_KEY;
  return { from: at, to: enough ? end : at, open, looked: mark + tail.length };
};

/** Without an end the key goes as far as there is nothing but base64 and line breaks. */
function cutOff(text: string, at: number, body: number, limit: number): ReturnType<Looker> {
  let end = body;
  while (end < limit && (isAt(text, end, BASE64 | BLANK) || '\\=,:-'.includes(text.charAt(end)))) end++;
  const enough = keyCharacters(text, body, end) >= MIN_KEY;
  return { from: at, to: enough ? end : at, open: end === text.length && end - body < MAX_KEY, looked: limit };
}

function keyCharacters(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to && count < MIN_KEY; at++) if (isAt(text, at, BASE64)) count++;
  return count;
}
