import { parsePath } from '../../lib/path-bytes.ts';

/** Bidi controls, joiners, tags and the like: file systems of Apple leave some of them out when they compare names. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;
/** What Windows drops: blanks and dots at the end of a name, and a stream after a colon. */
const DROPPED = /:[^/]*|[. ]+(?=\/|$)/g;

/**
 * A shown path as the most careless file system takes it, so that no other spelling of a name escapes a rule: without
 * case, invisible characters, and what Windows drops. A backslash divides names there.
 */
export function foldPath(shown: string): string {
  const path = PLAIN.test(shown) ? shown : foldText(parsePath(shown).toString('utf8'));
  return path.toLowerCase().replace(DROPPED, '');
}

/** Upper case first: `ſ` and `ß` have no lower case, but an upper one. */
function foldText(text: string): string {
  return text.replace(IGNORED, '').normalize('NFC').toUpperCase().replaceAll('\\', '/');
}
