/**
 * What JSON allows as it is and a terminal, a log or an eye does not: DEL and C1 controls, line separators, format
 * characters (bidi overrides) and everything that is invisible by default. JSON escapes C0 and lone surrogates itself.
 */
const UNSAFE = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** JSON of a value that holds text from anywhere: equal when parsed, and harmless where it is only looked at. */
export function safeJson(value: unknown, indent = 0): string {
  // Such characters stand in strings only, where an escape means the same.
  return (JSON.stringify(value, null, indent) ?? 'null').replace(UNSAFE, escaped);
}

function escaped(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
