import { sanitize } from '../lib/sanitize.ts';
import { paint, type Span } from './render-style.ts';

/** What the place can show that a line is written to. */
export interface Display {
  readonly terminal: boolean;
  readonly color: boolean;
}

/** A line for a person, made harmless and painted, with its newline. */
export function shownLine(spans: readonly Span[], { terminal, color }: Display): string {
  const safe = (text: string): string => sanitize(text, { keepNewlines: false, annotations: !terminal });
  return `${spans.map((part) => paint(safe(part.text), part.style, color)).join('')}\n`;
}
