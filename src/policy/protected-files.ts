import type { Policy } from '../protocol/policy.ts';
import { pathForms } from './fold-path.ts';
import { matchersOf } from './rule-matcher.ts';
import type { Surroundings } from './tool-path.ts';

/** More than these are not told apart: a search above the first ones is stopped by those already. */
const MAX_PROTECTED = 1000;

/**
 * Files of the start, relative to the workspace, whose contents a rule does not let everybody see: `protectedFiles` of
 * the calls of a run. Once for each run, since it looks at every file.
 */
export function protectedFiles(policy: Policy['paths'], files: Iterable<string>, around: Surroundings): string[] {
  const matchers = matchersOf(policy.rules, around).filter(
    (matcher) => matcher.rule.verdict !== 'allow' && matcher.wants(['read', 'search']),
  );
  const found: string[] = [];
  if (matchers.length === 0) return found;
  for (const file of files) {
    const forms = pathForms(`${around.workspace}/${file}`);
    if (!matchers.some((matcher) => matcher.meets(forms) !== undefined)) continue;
    found.push(file);
    if (found.length === MAX_PROTECTED) break;
  }
  return found.sort();
}
