import { beginsAt, runEnd, skip, TOKEN68, WORD } from './chars.ts';
import { type Look, type Looker, MAX_TOKEN, nothing } from './look.ts';

const MIN_BEARER = 20;
const MIN_CREDENTIAL = 8;
/** Characters between the name of the header and its scheme, and of the scheme. */
const MAX_BETWEEN = 8;
const MAX_SCHEME = 16;

/** What follows the word bearer, when it does not look like the next word of a sentence. */
export const bearer: Looker = (text, at, after) => {
  if (!beginsAt(text, at, WORD)) return nothing(at, after);
  return credential(text, after, MIN_BEARER, (value) => /\d/.test(value) && /[A-Za-z]/.test(value));
};

/** The credential of `Authorization: Scheme credential`, with or without quotes as in JSON or a shell. */
export const credentialHeader: Looker = (text, at, after) => {
  const scheme = skip(text, after, MAX_BETWEEN, ' \t"\'\\:=,[');
  if (scheme === text.length) return nothing(at, scheme, true);
  const named = text.slice(after, scheme);
  if (!/[:=,]/.test(named)) return nothing(at, scheme);
  const end = runEnd(text, scheme, WORD, MAX_SCHEME + 1);
  if (end === text.length) return nothing(at, end, end - scheme <= MAX_SCHEME);
  if (text[end] !== ' ' || !/^(?:basic|bearer|token|digest|negotiate|apikey|key)$/i.test(text.slice(scheme, end)))
    return nothing(at, end);
  return credential(text, end + 1, MIN_CREDENTIAL, (value) => value.length >= MIN_BEARER || /\d/.test(value));
};

function credential(text: string, from: number, min: number, check: (value: string) => boolean): Look {
  const end = runEnd(text, from, TOKEN68, MAX_TOKEN + 1);
  const length = end - from;
  const fits = length >= min && length <= MAX_TOKEN && check(text.slice(from, end));
  return { from, to: fits ? end : from, open: end === text.length && length <= MAX_TOKEN, looked: end };
}
