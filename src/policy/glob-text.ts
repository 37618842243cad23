import { Wildcard } from '../lib/wildcard.ts';

/** Longer texts are held against a glob by their start only. */
const MAX_MATCHED = 4_096;
const MAX_COMPILED = 2_000;

/** Globs made ready; the same few are used for every call. */
const compiled = new Map<string, Wildcard>();

/** Whether a glob matches a whole text. Either may be a stranger's: the time is bounded by the product of the lengths. */
export function globMatches(glob: string, text: string): boolean {
  let wildcard = compiled.get(glob);
  if (wildcard === undefined) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    wildcard = new Wildcard(glob);
    compiled.set(glob, wildcard);
  }
  return wildcard.matches(text.slice(0, MAX_MATCHED));
}

/** Whether a glob can match one text only. */
export function isLiteralGlob(glob: string): boolean {
  return !/[*?[]/.test(glob.replace(/\\./gsu, ''));
}

/** The only text that a literal glob matches. */
export function literalOf(glob: string): string {
  return glob.replace(/\\(.)/gsu, '$1');
}
