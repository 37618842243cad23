import { RE2JS } from 're2js';
import { messageOf } from '../errors.ts';

/**
 * Regular expressions that a user writes and that are held against text of a stranger: RE2, whose time grows with the
 * length of the text and never with the number of ways to match it. The only file that knows the engine.
 */

/** Largest compiled program; time for one character grows with it. */
const MAX_PROGRAM = 2_000;

export interface LinearRegExp {
  /** Whether there is a match anywhere. */
  test(text: string): boolean;
  /** Places of the matches that do not overlap, leftmost first; those of length zero are left out. */
  matches(text: string): Generator<{ readonly start: number; readonly end: number }, void>;
}

/** Why a pattern cannot be used; a sentence without the pattern. */
export class BadPattern extends Error {
  override readonly name = 'BadPattern';
}

/**
 * Compiles a pattern in the syntax that JavaScript and RE2 share: no look-ahead, look-behind or back reference. `^` and
 * `$` are the ends of a line. @throws BadPattern
 */
export function linearRegExp(pattern: string): LinearRegExp {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.MULTILINE);
  } catch (error) {
    // "error parsing regexp: missing closing ): `(a`": the words before the quoted part.
    const why = messageOf(error)
      .replace(/^error parsing regexp: /, '')
      .replace(/: `.*$/s, '');
    throw new BadPattern(`It is not understood (${why}); look-around and back references do not exist here.`);
  }
  if (compiled.programSize() > MAX_PROGRAM) {
    throw new BadPattern('It is too large: repeat less, or fewer times.');
  }
  return {
    test: (text) => compiled.test(text),
    *matches(text) {
      const matcher = compiled.matcher(text);
      while (matcher.find()) {
        const [start, end] = [matcher.start(), matcher.end()];
        if (end > start) yield { start, end };
      }
    },
  };
}
