import { type Finding, finding } from './finding.ts';
import { judgeLock } from './judge-lock.ts';
import { judgeManifest } from './judge-manifest.ts';
import { beyondVersions } from './judge-versions.ts';
import { countLines, diffLines } from './line-diff.ts';
import { COMPOSER_KEYS, PACKAGE_KEYS } from './manifest-keys.ts';
import type { RiskRule } from './risk-table.ts';

export interface JudgedFile {
  /** Folded. */
  readonly name: string;
  readonly isNew: boolean;
  /** Undefined where there was no file, or its content is not at hand. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
  readonly binary: boolean;
}

/** What makes a changed file a risk of the rule's class. */
export function judgeContent(rule: RiskRule, file: JudgedFile): Iterable<Finding> {
  switch (rule.judge) {
    case 'package':
      return orReason(rule, judgeManifest(file.before, file.after, PACKAGE_KEYS));
    case 'composer':
      return orReason(rule, judgeManifest(file.before, file.after, COMPOSER_KEYS));
    case 'lock':
      return orReason(rule, judgeLock(file.name, file.before, file.after));
    case 'new':
      return file.isNew ? [finding(`${rule.what}, new`)] : [];
    default:
      return changedPlaces(rule, file);
  }
}

function orReason(rule: RiskRule, result: Finding[] | string): Finding[] {
  return typeof result === 'string' ? [finding(`${rule.what}, ${result}`)] : result;
}

function changedPlaces(rule: RiskRule, { isNew, before, after, binary }: JudgedFile): Finding[] {
  const all = countLines(after);
  if (before === undefined) {
    const what = isNew ? `${rule.what}, new` : rule.what;
    return [finding(what, all === 0 || binary ? undefined : [1, all])];
  }
  if (binary) return [finding(rule.what)];
  return diffLines(before, after)
    .filter((hunk) => rule.judge === 'any' || beyondVersions(hunk))
    .map(({ line, added }) => {
      const from = Math.min(line, all);
      return finding(rule.what, all === 0 ? undefined : [from, Math.max(from, line + countLines(added) - 1)]);
    });
}
