import { runUntil, USER_END } from './chars.ts';
import { type Look, type Looker, nothing } from './look.ts';

const MAX_USER = 128;
const MAX_PASSWORD = 512;
const MIN_PASSWORD = 6;
/** What stands for a password in a manual, and what a program will put in its place. */
const PLACEHOLDER = /^(?:pass(?:word|wd)?|secret|changeme|example|x+|\*+|\.+|your.*|my.*)$|^[$%{<[]|[{}<>$]/i;

/** The password of `scheme://user:password@host`. */
export const urlPassword: Looker = (text, at, after) => {
  const colon = runUntil(text, after, USER_END, MAX_USER);
  if (colon === text.length) return nothing(at, colon, colon - after < MAX_USER);
  if (text[colon] !== ':') return nothing(at, colon);
  const from = colon + 1;
  const end = runUntil(text, from, USER_END, MAX_PASSWORD);
  const certain: Pick<Look, 'from' | 'looked'> = { from, looked: end };
  if (end === text.length) return { ...certain, to: from, open: end - from < MAX_PASSWORD };
  if (text[end] !== '@') return nothing(at, end);
  const password = text.slice(from, end);
  const known = password.length < MIN_PASSWORD || password === text.slice(after, colon) || PLACEHOLDER.test(password);
  return { ...certain, to: known ? from : end, open: false };
};
