import type { Checked, Conflict } from '../changes/apply/check.ts';
import { explainRisk } from '../changes/risk/risk-table.ts';
import { plural } from '../lib/format.ts';
import { type OfRisk, riskText } from './diff/change-words.ts';
import { say } from './print.ts';
import { shellWord } from './shell-word.ts';

/** Paths that are named one by one. */
const MAX_LISTED = 20;

/** Says, bounded, where the target is not as it was. */
export function sayConflicts(conflicts: readonly Conflict[]): void {
  say(`${plural(conflicts.length, 'path')} in the way:`);
  sayList(conflicts.map(({ path, why }) => `${path} ${why}`));
}

/** Says, bounded, what needs consent. */
export function sayRisks(risks: readonly OfRisk[]): void {
  for (const { name, changes } of risks) {
    say(`Risk ${name}: ${plural(changes.length, 'change')}. ${explainRisk(name)}`);
    sayList(
      changes.flatMap(({ path, risks: found }) =>
        found.filter((risk) => risk.class === name).map((risk) => `${path}: ${riskText(risk)}`),
      ),
    );
  }
}

export function sayNotes(notes: Checked['notes']): void {
  sayList(notes);
}

function sayList(lines: readonly string[]): void {
  for (const line of lines.slice(0, MAX_LISTED)) say(`  ${line}`);
  if (lines.length > MAX_LISTED) say(`  and ${lines.length - MAX_LISTED} more`);
}

/** `pi-sandbox apply ...`, to be typed again. */
export function commandText(words: readonly string[]): string {
  return ['pi-sandbox', ...words.map(shellWord)].join(' ');
}
