import { type Static, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { clip } from '../lib/bounded-text.ts';
import { formatBytes, plural } from '../lib/format.ts';

/** Lines of a result that are shown. */
const SHOWN_LINES = 10;
/** Longest line shown without a terminal, UTF-16 units. */
const LINE_CHARS = 500;

/** What pi's tools say about their own cuts, in `result.details`. */
const Details = Type.Object({
  truncation: Type.Optional(
    Type.Object({
      truncated: Type.Boolean(),
      totalLines: Type.Integer({ minimum: 0 }),
      totalBytes: Type.Integer({ minimum: 0 }),
      outputLines: Type.Integer({ minimum: 0 }),
      outputBytes: Type.Integer({ minimum: 0 }),
      firstLineExceedsLimit: Type.Optional(Type.Boolean()),
    }),
  ),
  fullOutputPath: Type.Optional(Type.String()),
  matchLimitReached: Type.Optional(Type.Number()),
  linesTruncated: Type.Optional(Type.Boolean()),
  resultLimitReached: Type.Optional(Type.Number()),
  entryLimitReached: Type.Optional(Type.Number()),
});

/** The part of a result that is shown: the end for bash, the start for other tools. `hidden` counts lines left out. */
export function excerpt(
  tool: string,
  text: string,
  columns: number,
): { lines: string[]; hidden: number; tail: boolean } {
  if (text === '') return { lines: [], hidden: 0, tail: keepsTail(tool) };
  const all = withoutLastNewlines(text).split('\n');
  const tail = keepsTail(tool);
  const lines = tail ? all.slice(-SHOWN_LINES) : all.slice(0, SHOWN_LINES);
  const width = Math.min(LINE_CHARS, Math.max(20, columns - 5));
  return { lines: lines.map((line) => clip(line, width)), hidden: all.length - lines.length, tail };
}

/** What pi cut before the model saw it, one sentence each; `kept` when the whole output is in a file of the container. */
export function cuts(tool: string, details: unknown): { notes: string[]; kept: boolean } {
  if (!Check(Details, details)) return { notes: [], kept: false };
  const notes = [
    ...truncationNote(tool, details),
    ...limitNote(details.matchLimitReached, 'match', 'matches'),
    ...limitNote(details.resultLimitReached, 'path', 'paths'),
    ...limitNote(details.entryLimitReached, 'entry', 'entries'),
    ...(details.linesTruncated === true ? ['long lines were cut for the model'] : []),
  ];
  return { notes, kept: details.fullOutputPath !== undefined };
}

function truncationNote(tool: string, { truncation }: Static<typeof Details>): string[] {
  if (truncation?.truncated !== true) return [];
  const { totalLines, outputLines, totalBytes, outputBytes } = truncation;
  if (truncation.firstLineExceedsLimit === true) return ['the model saw only a hint: the first line is too long'];
  const part = keepsTail(tool) ? 'last' : 'first';
  const whole = `${plural(totalLines, 'line')}, ${formatBytes(totalBytes)}`;
  return [`the model saw the ${part} ${plural(outputLines, 'line')} (${formatBytes(outputBytes)}) of ${whole}`];
}

function limitNote(limit: number | undefined, one: string, many: string): string[] {
  return limit === undefined ? [] : [`stopped at ${limit} ${limit === 1 ? one : many}`];
}

/** By hand: a pattern with `+$` takes quadratic time where the newlines are not the last. */
function withoutLastNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

function keepsTail(tool: string): boolean {
  return tool === 'bash' || tool === 'powershell';
}
