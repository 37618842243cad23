import { withoutImpliedFolders } from '../../changes/bare-folders.ts';
import { plural } from '../../lib/format.ts';
import type { NotInPatch } from '../../protocol/change-view.ts';
import type { Change, ChangeSet } from '../../protocol/changes.ts';
import { type Span, span } from '../render-style.ts';
import { byRisk, countText, notInPatchText, riskText } from './change-words.ts';
import { MAX_LISTED } from './limits.ts';

/** What a change set is, what it leaves out, and what needs a person's eye: before any line of a file. */
export function* summaryLines(set: ChangeSet, changes: readonly Change[]): Generator<Span[], void> {
  const risky = changes.filter((change) => change.risks.length > 0).length;
  const eye = risky === 0 ? '' : `; ${risky} ${risky === 1 ? 'needs' : 'need'} your eye`;
  const part = changes.length === set.changes.length ? '' : ` of ${withoutImpliedFolders(set.changes).length}`;
  yield [span(`Run ${set.run} of ${set.root}: ${countText(withoutImpliedFolders(changes))}${part}${eye}`, 'bold')];
  yield [span(`Digest ${set.digest}`, 'dim')];
  if (set.outcome === 'partial') {
    yield [span('PARTIAL: this is not all that the agent changed.', 'red')];
    for (const reason of set.reasons) yield [span(`  ${reason}`, 'red')];
  }
  yield* refusedLines(set);
  yield* ignoredLines(set);
  if (risky > 0) yield [span('Needs your eye:', 'yellow')];
  for (const { name, changes: found } of byRisk(changes)) {
    yield* listed(found, `of class ${name}`, (change) =>
      change.risks.filter((risk) => risk.class === name).map((risk) => `${change.path}  ${riskText(risk)}`),
    );
  }
}

function* refusedLines(set: ChangeSet): Generator<Span[], void> {
  if (set.refusedCount === 0) return;
  yield [span(`Not handed back: ${plural(set.refusedCount, 'entry').replace('entrys', 'entries')}`, 'yellow')];
  for (const { path, reason, detail } of set.refused.slice(0, MAX_LISTED)) {
    yield [span(`  ${path}  ${reason.replaceAll('-', ' ')}: ${detail}`)];
  }
  const more = set.refusedCount - Math.min(set.refused.length, MAX_LISTED);
  if (more > 0) yield [span(`  and ${more} more`, 'dim')];
}

function* ignoredLines({ ignored, ignoredCount }: ChangeSet): Generator<Span[], void> {
  if (ignoredCount === 0) return;
  yield [span(`Left out by ignore rules: ${ignoredCount} new; run with --include to get such files`, 'dim')];
  yield* listed(ignored, '', (path) => [path]);
}

export function* leftOutLines(left: readonly NotInPatch[]): Generator<Span[], void> {
  if (left.length === 0) return;
  yield [];
  yield [span('Not shown above:', 'yellow')];
  yield* listed(left, '', (one) => [notInPatchText(one)]);
}

function* listed<T>(items: readonly T[], what: string, text: (item: T) => string[]): Generator<Span[], void> {
  for (const item of items.slice(0, MAX_LISTED)) {
    for (const line of text(item).slice(0, MAX_LISTED)) yield [span(`  ${line}`)];
  }
  if (items.length > MAX_LISTED) yield [span(`  and ${items.length - MAX_LISTED} more ${what}`.trimEnd(), 'dim')];
}
