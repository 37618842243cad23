import type { Patch } from '../../changes/patch.ts';
import { type PatchPart, patchParts, type Sign } from '../../changes/patch-parts.ts';
import { clip, previewOf } from '../../lib/bounded-text.ts';
import { formatBytes } from '../../lib/format.ts';
import { showPath } from '../../lib/path-bytes.ts';
import type { Change } from '../../protocol/changes.ts';
import { type Span, type Style, span } from '../render-style.ts';
import { kindText, riskText, sizeText } from './change-words.ts';
import { MAX_FILE_LINES, MAX_LINE_CHARS, MAX_LINES } from './limits.ts';

const STYLES: Readonly<Record<Sign, Style>> = { '+': 'green', '-': 'red', ' ': 'plain' };

/** Bytes that a UTF-16 unit may take in UTF-8. */
const MAX_CHAR_BYTES = 4;

/** Some changes with their hunks. */
export interface Chapter {
  readonly changes: readonly Change[];
  readonly patch: Patch;
}

/** Hunks of all chapters, bounded per file and in all; what was passed over is said. */
export async function* bodyLines(chapters: readonly Chapter[], run: string): AsyncGenerator<Span[], void> {
  let shown = 0;
  let files = 0;
  const total = new Set(chapters.flatMap(({ changes, patch }) => inPatch(changes, patch))).size;
  for (const { changes, patch } of chapters) {
    const byPath = new Map(changes.map((change) => [change.path, change]));
    let file: { readonly change: Change | undefined; lines: number; passed: number } | undefined;
    for await (const part of patchParts(patch.readable())) {
      if (part.kind === 'file') {
        yield* passedOver(file?.passed ?? 0);
        if (shown >= MAX_LINES) {
          yield [span(`… ${total - files} more changed files are not shown. ${everything(run)}`, 'yellow')];
          return;
        }
        const change = byPath.get(showPath(part.path));
        // The second half of a change of type belongs to the same heading.
        if (change === undefined || change !== file?.change) {
          files++;
          yield* heading(change, showPath(part.path));
        }
        file = { change, lines: 0, passed: 0 };
      } else if (file !== undefined) {
        if (part.kind === 'line' || part.kind === 'hunk') file.lines++;
        if (file.lines > MAX_FILE_LINES) {
          if (part.kind === 'line') file.passed++;
          continue;
        }
        shown++;
        yield* partLines(part, file.change);
      }
    }
    yield* passedOver(file?.passed ?? 0);
  }
}

/** Changes without their hunks, for a machine that has no git. */
export function* headings(changes: readonly Change[]): Generator<Span[], void> {
  for (const change of changes.slice(0, MAX_LINES)) yield* heading(change, change.path);
}

function inPatch(changes: readonly Change[], patch: Patch): string[] {
  const left = new Set(patch.left.map((one) => one.path));
  return changes.flatMap(({ path, before, after }) =>
    left.has(path) || [before, after].every((state) => state === undefined || state.type === 'dir') ? [] : [path],
  );
}

function* heading(change: Change | undefined, path: string): Generator<Span[], void> {
  yield [];
  yield [span(path, 'bold'), span(change === undefined ? '' : `  ${kindText(change)}`, 'dim')];
  for (const risk of change?.risks ?? []) if (risk.lines === undefined) yield [span(`! ${riskText(risk)}`, 'yellow')];
}

function* partLines(part: PatchPart, change: Change | undefined): Generator<Span[], void> {
  if (part.kind === 'binary') yield [span(`binary${change === undefined ? '' : `, ${sizeText(change)}`}`, 'cyan')];
  else if (part.kind === 'no-newline') yield [span('\\ No newline at end of file', 'dim')];
  else if (part.kind === 'hunk') {
    yield [span(previewOf(part.header, MAX_LINE_CHARS), 'cyan')];
    const [first, last] = [part.start, part.start + Math.max(0, part.count - 1)];
    for (const risk of change?.risks ?? []) {
      if (risk.lines === undefined || risk.lines[0] > last || risk.lines[1] < first) continue;
      yield [span(`! ${riskText(risk)}`, 'yellow')];
    }
  } else if (part.kind === 'line') yield textLine(part.sign, part.content, part.bytes);
}

function textLine(sign: Sign, content: Buffer, bytes: number): Span[] {
  const text = content.subarray(0, MAX_CHAR_BYTES * MAX_LINE_CHARS).toString('utf8');
  const shown = clip(text, MAX_LINE_CHARS);
  const whole = bytes <= MAX_CHAR_BYTES * MAX_LINE_CHARS && shown === text;
  const cut = whole ? [] : [span(` (a line of ${formatBytes(bytes)})`, 'yellow')];
  return [span(`${sign}${shown}`, STYLES[sign]), ...cut];
}

function* passedOver(lines: number): Generator<Span[], void> {
  if (lines > 0) yield [span(`… ${lines} more lines of this file are not shown; --patch has them`, 'yellow')];
}

function everything(run: string): string {
  return `"pi-sandbox diff ${run} --stat" lists all changes, "--patch" has all lines; name paths to see those.`;
}
