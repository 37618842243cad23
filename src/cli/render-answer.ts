import { clip } from '../lib/bounded-text.ts';
import type { Screen } from './render-screen.ts';
import { span } from './render-style.ts';

const ERROR_CHARS = 1_000;

/** Stop reasons that a reader should know about. */
const TROUBLE = new Map([
  ['aborted', 'the answer of the model was aborted'],
  ['length', "the model's answer was cut off at its limit of output tokens"],
]);

/** One answer of the model: its text, unless it was shown while it came, and how it ended. */
export function showAnswer(
  screen: Screen,
  { text, stopReason, error }: { text: string; stopReason: string; error: string | undefined },
): void {
  if (text !== '') {
    screen.stream(text);
    screen.endStream();
  }
  const trouble =
    stopReason === 'error' ? `the model call failed: ${error ?? 'no reason given'}` : TROUBLE.get(stopReason);
  if (trouble !== undefined) screen.line(span('! ', 'yellow'), span(clip(trouble, ERROR_CHARS)));
}
