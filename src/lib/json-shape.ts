const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export interface JsonLimits {
  /** Levels of nesting. */
  readonly depth: number;
  /** Members, elements and containers: what `JSON.parse` makes objects of, many times larger than their text. */
  readonly values: number;
}

/**
 * Which limit JSON bytes exceed. Scanned before `JSON.parse`, which recurses and allocates, and without decoding: the
 * bytes looked for cannot be part of a longer UTF-8 sequence.
 */
export function exceededBy(json: Uint8Array, limits: JsonLimits): keyof JsonLimits | undefined {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++;
      if (++depth > limits.depth) return 'depth';
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    if (values > limits.values) return 'values';
  }
  return undefined;
}
