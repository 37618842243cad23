import { sanitize } from '../../lib/sanitize.ts';
import { MAX_QUOTED } from './limits.ts';

/** Something that makes a change a risk of the class whose rule was asked. */
export interface Finding {
  readonly what: string;
  /** Lines of the new content, counted from 1. */
  readonly lines?: [from: number, to: number];
}

export function finding(what: string, lines?: [from: number, to: number]): Finding {
  return lines === undefined ? { what } : { what, lines };
}

/** Text of unknown length and origin, made fit to stand inside a description. */
export function quoted(text: string): string {
  const shown = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text;
  return sanitize(shown, { keepNewlines: false });
}
