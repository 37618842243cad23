import { beginsAt, runEnd, WORD } from './chars.ts';

/** What is at a place where a secret may be. Places are indexes into the text. */
export interface Look {
  /** Where the secret begins, or would. */
  readonly from: number;
  /** Where it ends; not above `from` when there is none. */
  readonly to: number;
  /** The text ended before it was certain. */
  readonly open: boolean;
  /** How far the text was looked at. */
  readonly looked: number;
}

/** Looks whether a secret is at an anchor that stands from `at` to `after`. Its time is bounded by what it passes. */
export type Looker = (text: string, at: number, after: number) => Look;

export function nothing(at: number, looked: number, open = false): Look {
  return { from: at, to: at, open, looked };
}

export interface TokenShape {
  /** Set of characters behind the anchor. */
  readonly chars: number;
  readonly min: number;
  /** What goes on longer is no token but data. */
  readonly max?: number;
  /** Characters that must not stand before the anchor, beside those of a token. */
  readonly notAfter?: number;
  /** The anchor says enough wherever it stands, and cannot stand inside of a token. */
  readonly anywhere?: boolean;
  readonly check?: (body: string) => boolean;
}

/** Longest token. */
export const MAX_TOKEN = 4_096;

/**
 * A word that begins with the anchor. A token that may begin inside another one would be looked at once for each, so
 * what may not stand before it includes what it consists of.
 */
export function token({ chars, min, max = MAX_TOKEN, notAfter = 0, anywhere = false, check }: TokenShape): Looker {
  const before = chars | WORD | notAfter;
  return (text, at, after) => {
    if (!anywhere && !beginsAt(text, at, before)) return nothing(at, after);
    const end = runEnd(text, after, chars, max + 1);
    const length = end - after;
    const fits = length >= min && length <= max && (check === undefined || check(text.slice(after, end)));
    return { from: at, to: fits ? end : at, open: end === text.length && length <= max, looked: end };
  };
}
