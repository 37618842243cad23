import { clip } from '../lib/bounded-text.ts';
import type { JudgedCall, RuleMatch } from '../protocol/gate.ts';
import type { FileCall } from './file-call.ts';
import { pathForms } from './fold-path.ts';
import type { RuleMatcher } from './rule-matcher.ts';
import { SearchGlob } from './search-glob.ts';

/** UTF-16 units of a path in a reason. */
const MAX_SHOWN = 100;

/**
 * What a search of a folder would show although it does not name it: pi's `grep` looks into hidden files too, so one of
 * the whole workspace prints lines of `.env`. Two things are held against the rules:
 *
 * - the protected files of the start that lie below the folder and that the call's `glob` lets through;
 * - a `glob` that names a protected file by itself, whether or not one is known to be there.
 *
 * So a repository without such files is searched freely, and one that has some by a glob that leaves them out. What it
 * does not see is a protected file that the agent itself made during the run: what is in it, the agent wrote or copied.
 * Files that git ignores are not in a copy. In a mount they are, and pi passes over them; but a glob such as `*`, which
 * ripgrep lets win over ignore rules, brings them back, and that is not seen.
 */
export function judgeSearch(matchers: readonly RuleMatcher[], call: JudgedCall, file: FileCall): readonly RuleMatch[] {
  if (call.tool !== 'grep') return [];
  const glob = new SearchGlob(call.arguments['glob']);
  const shown = new Set(file.places.flatMap(({ path }) => shownBelow(path === '/' ? '/' : `${path}/`, call, glob)));
  const all = [...shown].map(pathForms);
  return matchers.flatMap((matcher) => {
    const { id, verdict, reason } = matcher.rule;
    if (verdict === 'allow') return [];
    const met = all.filter((forms) => matcher.meets(forms) !== undefined);
    const [first] = met;
    if (first === undefined) return [];
    const subject = `search ${met.map(({ exact }) => exact.path).join(', ')}`;
    const shownFirst = clip(first.exact.path, MAX_SHOWN);
    const why = `This search would show ${shownFirst}; leave it out by a glob or another folder. ${reason}`;
    return [
      { rule: id, verdict, reason: why, subject, detail: `the search shows ${shownFirst}: ${matcher.meets(first)}` },
    ];
  });
}

function shownBelow(folder: string, call: JudgedCall, glob: SearchGlob): string[] {
  const known = (call.protectedFiles ?? [])
    .map((relative) => `${call.workspace}/${relative}`)
    .filter((path) => path.startsWith(folder) && glob.lets(path.slice(folder.length)));
  return [...known, ...glob.names.map((name) => folder + name)];
}
