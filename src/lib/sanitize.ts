export interface SanitizeOptions {
  /** Newlines stay; else they are shown as `␊`. */
  readonly keepNewlines: boolean;
  /** Also defuses what CI systems obey in a log (`::set-output`, `##[error]`). For output that is not a terminal. */
  readonly annotations?: boolean;
}

/**
 * Controls, formatting characters, separators, lone surrogates and everything that is invisible by default: bidi
 * overrides, zero-width characters, tags, variation selectors.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const VARIATION = /^[\uFE0E\uFE0F]$/u;
const BEFORE_VARIATION = /[\p{Emoji}\p{So}]$/u;
const JOINER = '\u200D';
const EMOJI_END = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?$/u;
const EMOJI_START = /^\p{Extended_Pictographic}/u;

/**
 * The one way for text from outside to reach a terminal or a log. Harmful characters become visible: `␛` for escape,
 * `<U+202E>` for a bidi override. Tabs stay, CR LF counts as a newline, a lone carriage return is shown as `␍`.
 * Emoji keep the joiner and the one selector that they are made of. The result holds no control byte but tab and newline.
 */
export function sanitize(text: string, options: SanitizeOptions): string {
  const unix = options.keepNewlines ? text.replaceAll('\r\n', '\n') : text;
  const visible = unix.replace(UNSAFE, (char, at: number) => {
    if (char === '\t' || (char === '\n' && options.keepNewlines)) return char;
    return isEmojiPart(char, unix, at) ? char : escapeOf(char);
  });
  return options.annotations === true ? defuseAnnotations(visible) : visible;
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function isEmojiPart(char: string, text: string, at: number): boolean {
  if (char !== JOINER && !VARIATION.test(char)) return false;
  const before = text.slice(Math.max(0, at - 3), at);
  if (char === JOINER) return EMOJI_END.test(before) && EMOJI_START.test(text.slice(at + 1, at + 3));
  return BEFORE_VARIATION.test(before);
}

/** Blanks are looked for within a line: `\s*` from every start of a line takes quadratic time. GitHub obeys `::` at the start of a line and `##[` anywhere, Azure `##vso[`, TeamCity `##teamcity[`. */
function defuseAnnotations(text: string): string {
  return text.replace(/^([^\S\n]*)::/gm, '$1\\::').replace(/##(?=\[|[a-z]+\[)/gi, '#\\#');
}
