import { type Finding, finding, quoted } from './finding.ts';
import { countLines, diffLines, type Hunk } from './line-diff.ts';
import { addressesIn } from './lock-address.ts';
import { findChangedChecksum } from './lock-checksums.ts';
import { hidesText, type LockDialect, lockDialect, saysSource } from './lock-lines.ts';
import { findWrongPackages, type Place } from './lock-names.ts';
import { lockText } from './lock-text.ts';

/** Sources in a lock file that it did not have, each once; a reason when it cannot be looked through. */
export function judgeLock(name: string, before: Buffer | undefined, after: Buffer): Finding[] | string {
  const dialect = lockDialect(name);
  const now = lockText(after, dialect.isJson === true);
  if (typeof now === 'string') return now;
  const was = before === undefined ? undefined : lockText(before, dialect.isJson === true);
  // What cannot be read is taken for empty: then everything is new.
  const old = typeof was === 'object' ? was.content : undefined;
  const found = judgeText(dialect, old, now.content);
  return now.sameLines ? found : found.map(({ what }) => ({ what }));
}

function judgeText(dialect: LockDialect, before: Buffer | undefined, after: Buffer): Finding[] {
  const oldText = before?.toString('utf8') ?? '';
  const known = sourceNames(dialect, oldText);
  const hunks = diffLines(before ?? Buffer.alloc(0), after);
  const lines = after.toString('utf8').split('\n');
  const found: Finding[] = [];
  for (const hunk of hunks) {
    const place = { from: hunk.line - 1, to: hunk.line - 1 + countLines(hunk.added) };
    found.push(...newSources(dialect, hunk, lines, place, known));
    found.push(...findWrongPackages(lines, place, oldText));
  }
  if (before !== undefined && dialect.checksumsApart !== true) found.push(...findChangedChecksum(hunks));
  return found;
}

function* newSources(
  dialect: LockDialect,
  hunk: Hunk,
  lines: readonly string[],
  place: Place,
  known: Set<string>,
): Generator<Finding> {
  // What stood in this place tells more than what stands somewhere in the file: a package moved to another registry.
  const replaced = sourceNames(dialect, hunk.removed.toString('utf8'));
  for (const { line, source } of sourcesOf(dialect, lines, place)) {
    const moved = replaced.size > 0 && hunk.exact && !replaced.has(source);
    if (known.has(source) && !moved) continue;
    known.add(source);
    replaced.add(source);
    yield finding(source, [line + 1, line + 1]);
  }
}

function sourceNames(dialect: LockDialect, text: string): Set<string> {
  const lines = text.split('\n');
  return new Set(Array.from(sourcesOf(dialect, lines, { from: 0, to: lines.length }), ({ source }) => source));
}

function* sourcesOf(
  dialect: LockDialect,
  lines: readonly string[],
  { from, to }: Place,
): Generator<{ line: number; source: string }> {
  for (let line = from; line < Math.min(to, lines.length); line++) {
    const text = lines[line]!;
    const named = dialect.names?.exec(text)?.[1];
    if (named !== undefined) yield { line, source: quoted(named.trim()) };
    if (hidesText(dialect, lines, line)) yield { line, source: `escaped characters: ${quoted(text.trim())}` };
    if (saysSource(dialect, lines, line)) for (const source of addressesIn(text)) yield { line, source };
  }
}
