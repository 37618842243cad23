import { beginsAt, NAME, runEnd, runUntil, skip, VALUE_END, WORD } from './chars.ts';
import { type Look, type Looker, nothing } from './look.ts';

const MAX_NAME = 64;
const MAX_VALUE = 256;
const MIN_VALUE = 12;
/** Names that speak of a secret and do not hold one. */
const NO_SECRET =
  /_?(?:ID|NAME|FILE|PATH|DIR|URL|URI|HOST|PORT|USER|TYPE|KIND|TTL|EXPIRES?|EXPIRY|LIFETIME|LENGTH|COUNT|LIMITS?|MAX|MIN|ENABLED|REGEX|PATTERN|HEADER|PREFIX|SUFFIX|RESET|POLICY|PROVIDER|PARAM|FIELD|LABEL)$/;
const PLACEHOLDER = /^x-|example|placeholder|change.?me|your|dummy|redacted|x{4}|\*{3}|\.{3}|process\.env|environ/i;

/**
 * The value of `NAME=value` as `env` and `.env` files have it, of `NAME: "value"` and the like. The anchor is the part of the
 * name that says what it is; names are in capital letters, since in small ones they are mostly variables of a program.
 */
export const namedValue: Looker = (text, at, after) => {
  if (/[a-z]/.test(text.charAt(at - 1)) && !beginsAt(text, at, WORD)) return nothing(at, after);
  const end = runEnd(text, after, NAME, MAX_NAME);
  if (end === text.length) return nothing(at, end, end - after < MAX_NAME);
  if (NO_SECRET.test(text.slice(at, end))) return nothing(at, end);
  return valueFrom(text, at, end, false, looksSecret);
};

/** The value after a name that is known to have one, in the same notations, and bare behind ` = `. */
export function valueAfter(check: (value: string) => boolean): Looker {
  return (text, at, after) => valueFrom(text, at, after, true, check);
}

function valueFrom(text: string, at: number, nameEnd: number, bare: boolean, check: (value: string) => boolean): Look {
  const sign = skip(text, nameEnd, 3, '\\"\' ');
  if (sign === text.length) return nothing(at, sign, true);
  if (text[sign] !== '=' && text[sign] !== ':') return nothing(at, sign);
  // `==` compares, `::` and `=>` belong to a program.
  let from = skip(text, sign + 1, 2, ' ');
  const spaced = sign > nameEnd || from > sign + 1;
  if (text[from] === '\\') from++;
  const quote = /["'`]/.test(text.charAt(from)) ? text.charAt(from) : '';
  from += quote.length;
  if (from >= text.length) return nothing(at, text.length, true);
  const end = runUntil(text, from, VALUE_END, MAX_VALUE);
  const value = text.slice(from, end);
  const open = end === text.length && value.length < MAX_VALUE;
  const closed =
    quote === '' ? bare || !spaced || text[sign] === ':' : open || text[end] === quote || text[end] === '\\';
  const delimited = open || quote !== '' || !'(<['.includes(text.charAt(end));
  return { from, to: closed && delimited && check(value) ? end : from, open, looked: end };
}

function looksSecret(value: string): boolean {
  if (
    value.length < MIN_VALUE ||
    PLACEHOLDER.test(value) ||
    /^[$%{]|\$\{|\{\{|^https?:|^\.{0,2}\/[\w.-]+\//.test(value)
  )
    return false;
  if (!/[A-Za-z]/.test(value)) return value.length >= 16 && /\d/.test(value);
  return /\d/.test(value) || /[!#%&*+/?@^~]/.test(value);
}

/** Whether a variable of an environment holds a secret, by its name. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  return SECRET_NAME.test(upper) && !NO_SECRET.test(upper);
}
const SECRET_NAME = /SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?$/;
