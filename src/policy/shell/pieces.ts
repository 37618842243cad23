import { MAX_VALUE } from './limits.ts';
import { type Field, UNKNOWN } from './types.ts';

/** A part of a word after expansion, before it is cut into fields. */
export interface Piece {
  readonly text: string;
  /**
   * `bare`: written without quotes. `expanded`: from an expansion without quotes, and so cut at spaces. `quoted`: taken as it
   * is. `unknown`: the source of what only the shell will know. `break`: a new field starts.
   */
  readonly kind: 'bare' | 'expanded' | 'quoted' | 'unknown' | 'break';
}

/** Text of a word without quotes: what a backslash is before is quoted. */
export function barePieces(source: string): Piece[] {
  if (!source.includes('\\')) return [{ text: source, kind: 'bare' }];
  const pieces: Piece[] = [];
  for (const [run, escaped] of source.matchAll(/[^\\]+|\\(.|\n|$)/gu)) {
    if (run[0] !== '\\') pieces.push({ text: run, kind: 'bare' });
    else if (escaped !== '\n') pieces.push({ text: escaped || '\\', kind: 'quoted' });
  }
  return pieces;
}

/** Cuts pieces into the fields that they make, as the shell does after all expansions. */
export function fieldsOf(pieces: readonly Piece[], separators: string): Field[] {
  const fields: Field[] = [];
  let current: { text: string; pattern: string; known: boolean } | undefined;
  const open = () => {
    current ??= { text: '', pattern: '', known: true };
    return current;
  };
  const close = () => {
    if (current !== undefined) fields.push(current);
    current = undefined;
  };
  for (const { text, kind } of pieces) {
    if (kind === 'break') close();
    else if (kind === 'expanded') {
      for (const [index, part] of splitAt(text, separators).entries()) {
        if (index > 0) close();
        if (part === '') continue;
        const field = open();
        field.pattern += part;
        field.text += part;
      }
    } else {
      const field = open();
      field.text += text;
      field.pattern += patternOf(text, kind);
      field.known &&= kind !== 'unknown';
    }
    if (current !== undefined && current.text.length > MAX_VALUE) {
      current = { text: current.text.slice(0, 64), pattern: UNKNOWN, known: false };
    }
  }
  close();
  return fields;
}

function patternOf(text: string, kind: Piece['kind']): string {
  if (kind === 'unknown') return UNKNOWN;
  if (kind === 'quoted') return text.replace(/[*?[\]\\]/g, '\\$&');
  return text;
}

function splitAt(text: string, separators: string): string[] {
  const parts = [''];
  for (const char of text) {
    if (separators.includes(char)) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}
