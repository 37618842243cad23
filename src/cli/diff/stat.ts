import type { LineCount } from '../../changes/numstat.ts';
import { plural } from '../../lib/format.ts';
import { parsePath } from '../../lib/path-bytes.ts';
import type { Change } from '../../protocol/changes.ts';
import { kindText, sizeText } from './change-words.ts';

/** One row a change: what needs an eye, what it is, lines or sizes. The last row sums up. Without counts: sizes. */
export function statRows(
  changes: readonly Change[],
  counts: ReadonlyMap<string, LineCount> | undefined,
): { readonly rows: string[][]; readonly sum: string } {
  const sum = { added: 0, removed: 0 };
  const rows = changes.map((change) => {
    const count = counts?.get(parsePath(change.path).toString('latin1'));
    if (count !== undefined && count !== 'binary') {
      sum.added += count.added;
      sum.removed += count.removed;
    }
    const risks = [...new Set(change.risks.map((risk) => risk.class))].join(', ');
    return [change.path, amountText(change, count), `${kindText(change)}${risks === '' ? '' : `  ! ${risks}`}`];
  });
  const lines =
    counts === undefined ? '' : `, ${plural(sum.added, 'line')} added, ${plural(sum.removed, 'line')} removed`;
  return { rows, sum: `${plural(changes.length, 'path')} changed${lines}` };
}

function amountText(change: Change, count: LineCount | undefined): string {
  const { kind, before, after } = change;
  if (kind === 'mode' || [before, after].every((state) => state?.type !== 'file')) return '-';
  if (count === 'binary') return `binary ${sizeText(change)}`;
  return count === undefined ? sizeText(change) : `+${count.added} -${count.removed}`;
}
