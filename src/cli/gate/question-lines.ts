import { clip } from '../../lib/bounded-text.ts';
import { formatDuration, plural } from '../../lib/format.ts';
import type { GateQuestion } from '../../protocol/gate.ts';
import { type Span, span } from '../render-style.ts';
import { callRows } from './call-rows.ts';
import { foldRows } from './fold.ts';
import { FIRST_LINES, LAST_LINES } from './limits.ts';

const TOOL_CHARS = 64;

/** A question as lines for a person. What stands in it comes from the agent: every line goes through the sanitiser. */
export interface ShownQuestion {
  readonly lines: readonly Span[][];
  /** All lines of the call, where some were left out. */
  readonly whole?: readonly Span[][];
}

export function showQuestion(question: GateQuestion, columns: number): ShownQuestion {
  const { ask, tool, arguments: args, rule, reason, subject, claimed, timeoutMs } = question;
  const call = [...foldRows(callRows(tool, args), columns)];
  const hidden = call.length - FIRST_LINES - LAST_LINES;
  const cut = hidden > 0;
  const shown = cut
    ? [
        ...call.slice(0, FIRST_LINES),
        [span(`  … ${plural(hidden, 'line')} of the call left out here; v shows them`, 'yellow')],
        ...call.slice(-LAST_LINES),
      ]
    : call;
  const seen = claimed
    ? 'another tool is said to have made it; nobody but the process of pi has seen it (claimed)'
    : 'the gateway saw the model ask for exactly this (observed)';
  const lines = [
    [span(`? Question ${ask}: `, 'yellow'), span(`may the tool ${clip(tool, TOOL_CHARS)} do this?`, 'bold')],
    ...shown,
    ...ours(`Rule ${rule} asks, because:`, columns),
    ...theirs(reason, columns),
    ...ours(`Known from: ${seen}`, columns),
    ...ours('y  yes, this once', columns),
    ...ours(`r  yes, and in this run also whatever else rule ${rule} asks about`, columns),
    ...theirs(subject, columns),
    ...ours(`n  no${cut ? '; v  show all of it' : ''}; Ctrl-C  no, and end the turn`, columns),
    ...ours(`No answer within ${formatDuration(timeoutMs)} is a no.`, columns),
  ];
  return { lines, ...(cut ? { whole: call } : {}) };
}

function ours(text: string, columns: number): Span[][] {
  return [...foldRows([{ text, style: 'plain', note: true }], columns)];
}

/** Holds words of the agent, so it is set apart like the call itself. */
function theirs(text: string, columns: number): Span[][] {
  return [...foldRows([{ text, style: 'plain' }], columns)];
}
