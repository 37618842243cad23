import { formatCount, plural } from '../../lib/format.ts';
import type { Style } from '../render-style.ts';
import { editRows } from './edit-rows.ts';
import { MAX_ARGUMENTS, WHOLE_CHARS } from './limits.ts';

/** A line of a call, not yet made harmless. `note` is ours: it is never part of the call. */
export interface Row {
  readonly text: string;
  readonly style: Style;
  readonly note?: true;
}

/** Hands out text of a call, and no more of it than can be shown. */
export class Budget {
  #left = WHOLE_CHARS;

  /** Lines of a text; what does not fit is left out of its middle, and that is said. */
  rows(text: string, mark = '', style: Style = 'plain'): Row[] {
    const room = Math.min(text.length, this.#left);
    this.#left -= room;
    if (room === text.length) return split(text, mark, style);
    const tail = room >> 2;
    const note = `${formatCount(text.length - room)} characters left out: more than can be shown`;
    return [
      ...split(text.slice(0, room - tail), mark, style),
      noteRow(note),
      ...(tail === 0 ? [] : split(text.slice(-tail), mark, style)),
    ];
  }
}

export function noteRow(text: string): Row {
  return { text: `… ${text}`, style: 'yellow', note: true };
}

/** What a call would do, as rows: the command, the file with its new content, the edits as a diff, else its arguments. */
export function callRows(tool: string, args: Readonly<Record<string, unknown>>): Row[] {
  const budget = new Budget();
  const { command, path, content } = args;
  if (tool === 'bash' && typeof command === 'string') {
    return [...budget.rows(command), ...argumentRows(args, ['command'], budget)];
  }
  if (tool === 'write' && typeof path === 'string' && typeof content === 'string') {
    const size = `the file would have these ${plural(Buffer.byteLength(content), 'byte')}`;
    return [
      ...argumentRows(args, ['content'], budget),
      { text: size, style: 'dim', note: true },
      ...budget.rows(content, '+', 'green'),
    ];
  }
  const edits = tool === 'edit' ? editRows(args, budget) : undefined;
  if (edits !== undefined) return [...argumentRows(args, ['edits', 'oldText', 'newText'], budget), ...edits];
  const rows = argumentRows(args, [], budget);
  return rows.length === 0 ? [{ text: 'no arguments', style: 'dim', note: true }] : rows;
}

/** One row an argument, as JSON, in which a line break is `\n`. */
function argumentRows(args: Readonly<Record<string, unknown>>, shown: readonly string[], budget: Budget): Row[] {
  const rest = Object.entries(args).filter(([name]) => !shown.includes(name));
  const rows = rest
    .slice(0, MAX_ARGUMENTS)
    .flatMap(([name, value]) => budget.rows(`${JSON.stringify(name).slice(1, -1)}: ${JSON.stringify(value) ?? ''}`));
  const more = rest.length - MAX_ARGUMENTS;
  return more > 0 ? [...rows, noteRow(`${plural(more, 'more argument')}`)] : rows;
}

/** The line break is shown where it is. */
function split(text: string, mark: string, style: Style): Row[] {
  const lines = text.split('\n');
  return lines.map((line, at) => ({ text: `${mark}${line}${at === lines.length - 1 ? '' : '␊'}`, style }));
}
