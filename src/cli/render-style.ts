/** How a piece of text looks on a terminal with colours. */
export type Style = 'plain' | 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

/** A piece of a line. Text is always untrusted; only `Screen` turns it into output. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

const CODES: Record<Style, string> = {
  plain: '',
  bold: '1',
  dim: '2',
  red: '31',
  yellow: '33',
  green: '32',
  cyan: '36',
};

export function span(text: string, style: Style = 'plain'): Span {
  return { text, style };
}

/** `safe` must have gone through the sanitiser. */
export function paint(safe: string, style: Style, color: boolean): string {
  return color && style !== 'plain' && safe !== '' ? `\u001b[${CODES[style]}m${safe}\u001b[0m` : safe;
}
