import { plural } from '../../lib/format.ts';
import type { Budget, Row } from './call-rows.ts';
import { CONTEXT_LINES, MAX_EDITS } from './limits.ts';

interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** Old and new text of an edit call as a diff. Undefined when its arguments are of no known form. */
export function editRows(args: Readonly<Record<string, unknown>>, budget: Budget): Row[] | undefined {
  const edits = editsOf(args);
  if (edits === undefined) return undefined;
  const rows = edits
    .slice(0, MAX_EDITS)
    .flatMap((edit, at) => [
      { text: `edit ${at + 1} of ${edits.length}`, style: 'cyan', note: true } as const,
      ...diffRows(edit, budget),
    ]);
  const more = edits.length - MAX_EDITS;
  if (more > 0)
    rows.push({ text: `… ${plural(more, 'more edit')}, which cannot be shown`, style: 'yellow', note: true });
  return rows;
}

/** A list, a list as JSON text, or a single pair: pi takes each of them. */
function editsOf(args: Readonly<Record<string, unknown>>): readonly Edit[] | undefined {
  const { edits: given } = args;
  const edits = given === undefined ? [] : typeof given === 'string' ? parsed(given) : given;
  if (!Array.isArray(edits) || !edits.every(isEdit)) return undefined;
  const all = isEdit(args) ? [...edits, args] : edits;
  return all.length === 0 ? undefined : all;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEdit(value: unknown): value is Edit {
  const edit = value as Partial<Edit> | null;
  return typeof edit === 'object' && typeof edit?.oldText === 'string' && typeof edit.newText === 'string';
}

/** What both texts begin and end with is context; the rest goes and comes. */
function diffRows({ oldText, newText }: Edit, budget: Budget): Row[] {
  const [before, after] = [oldText.split('\n'), newText.split('\n')];
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const part = (lines: readonly string[], mark: string, style: Row['style']): Row[] =>
    lines.length === 0 ? [] : budget.rows(lines.join('\n'), mark, style);
  const end = before.length - tail;
  return [
    ...part(before.slice(Math.max(0, head - CONTEXT_LINES), head), ' ', 'plain'),
    ...part(before.slice(head, end), '-', 'red'),
    ...part(after.slice(head, after.length - tail), '+', 'green'),
    ...part(before.slice(end, Math.min(before.length, end + CONTEXT_LINES)), ' ', 'plain'),
  ];
}
