import type { JudgedCall, RuleMatch } from '../protocol/gate.ts';
import type { PathAccess, Policy, Verdict } from '../protocol/policy.ts';
import { type FileCall, type Place, surroundingsOf } from './file-call.ts';
import { type PathForms, pathForms } from './fold-path.ts';
import { judgeSearch } from './judge-search.ts';
import { matchersOf, type RuleMatcher } from './rule-matcher.ts';
import { STRICTNESS } from './strictness.ts';

/**
 * What the path rules say of a call of a file tool. Each place that it may reach is judged by itself, as written and as
 * it really is: the rules that it meets, or else the default. So a link that is allowed by its own name does not carry
 * what it leads to.
 *
 * Of a folder that is searched, see `judgeSearch`. Listing shows names only, so a listing is held against the folder
 * that it names and not against what lies in it. Not seen: a second name of the same file (hard link), and what a
 * process of the agent swaps after the guard looked.
 */
export function judgePaths(policy: Policy['paths'], call: JudgedCall, file: FileCall): readonly RuleMatch[] {
  const matchers = matchersOf(policy.rules, surroundingsOf(call)).filter((matcher) => matcher.wants(file.access));
  const matches = file.places.flatMap((place) => {
    const forms = pathForms(place.path);
    const met = matchers.flatMap((matcher) => ruleMatch(matcher, forms, place, file) ?? []);
    return met.length > 0 ? met : [defaultMatch(policy, call, place, file)];
  });
  return [...matches, ...judgeSearch(matchers, call, file)];
}

function ruleMatch(
  matcher: RuleMatcher,
  forms: PathForms,
  { path, how }: Place,
  { verb }: FileCall,
): RuleMatch | undefined {
  const met = matcher.meets(forms);
  if (met === undefined) return undefined;
  const { id, verdict, reason } = matcher.rule;
  return { rule: id, verdict, reason, subject: `${verb} ${path}`, detail: `${path}, ${how}: ${met}` };
}

function defaultMatch(policy: Policy['paths'], call: JudgedCall, { path, how }: Place, file: FileCall): RuleMatch {
  const side = isWithin(call.workspace, path) ? 'inside' : 'outside';
  const kinds = [...new Set(file.access.map(defaultFor))];
  const [kind, verdict] = kinds
    .map((kind) => [kind, policy[side][kind]] as const)
    .reduce((a, b) => (STRICTNESS[b[1]] > STRICTNESS[a[1]] ? b : a));
  return {
    rule: `paths.${side}.${kind}`,
    verdict,
    reason: reasonFor(side, kind, verdict),
    subject: `${file.verb} ${path}`,
    detail: `${path}, ${how}: no rule names it`,
  };
}

function defaultFor(access: PathAccess): 'read' | 'write' {
  return access === 'write' ? 'write' : 'read';
}

function reasonFor(side: 'inside' | 'outside', kind: 'read' | 'write', verdict: Verdict): string {
  const what = `${kind === 'read' ? 'Reading' : 'Writing'} ${side === 'inside' ? 'in' : 'outside of'} the workspace`;
  return { allow: `${what} is allowed.`, ask: `${what} needs a yes.`, deny: `${what} is not allowed.` }[verdict];
}

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
