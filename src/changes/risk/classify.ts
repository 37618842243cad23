import { formatBytes } from '../../lib/format.ts';
import { parsePath } from '../../lib/path-bytes.ts';
import type { Change, FileState, Risk, RiskClass } from '../../protocol/changes.ts';
import { isBinary } from './binary.ts';
import { type Finding, finding, quoted } from './finding.ts';
import { foldPath } from './fold-path.ts';
import { hiddenInName } from './hidden-text.ts';
import { judgeContent } from './judge-content.ts';
import { judgeHidden } from './judge-hidden.ts';
import { MAX_CONTENT_BYTES, MAX_COUNTED, MAX_PLACES } from './limits.ts';
import { PathMatcher } from './path-matcher.ts';
import { RISK_RULES, type RiskRule } from './risk-table.ts';

/** Contents of a changed file. Asked for only where a rule needs one; undefined where it is not at hand. */
export interface Contents {
  before(): Buffer | undefined;
  after(): Buffer | undefined;
}

type FileChange = Omit<Change, 'risks'>;

const MATCHER = new PathMatcher<RiskRule>(
  RISK_RULES.flatMap((rule) => rule.patterns.map((pattern) => [pattern, rule] as const)),
);

/** What of a change may later run code on the host, or hides what it does. Never throws because of what it is given. */
export function classifyRisks(change: FileChange, contents: Contents): Risk[] {
  const risks = new RiskList();
  const folded = foldPath(change.path);
  const rules = rulesFor(folded);
  risks.add('hidden-unicode', nameFindings(change));
  risks.add('executable-bit', bitFindings(change));
  risks.add('symlink', linkFindings(change));
  if (change.after === undefined || change.after.type === 'dir') {
    for (const rule of rules) {
      if (rule.removal && change.before !== undefined && change.before.type !== 'dir') {
        risks.add(rule.class, [finding(`${rule.what}, removed`)]);
      }
    }
    return risks.list;
  }
  if (change.after.type === 'symlink') {
    for (const rule of rules) risks.add(rule.class, [finding(`${rule.what}, a link`)]);
    return risks.list;
  }
  if (change.kind === 'mode') {
    // Git runs a hook with the executable bit, and passes over one without.
    for (const rule of rules) if (rule.class === 'hooks') risks.add(rule.class, [finding(`${rule.what}, mode`)]);
    return risks.list;
  }
  addContentRisks(risks, change, change.after, contents, rules, folded);
  return risks.list;
}

function addContentRisks(
  risks: RiskList,
  change: FileChange,
  state: FileState & { type: 'file' },
  contents: Contents,
  rules: readonly RiskRule[],
  folded: string,
): void {
  const tooLarge = state.size > MAX_CONTENT_BYTES;
  const after = tooLarge ? undefined : contents.after();
  if (after === undefined || after.length > MAX_CONTENT_BYTES) {
    const why = tooLarge ? `${formatBytes(state.size)}, too large to be looked through` : 'content not at hand';
    for (const rule of rules) risks.add(rule.class, [finding(`${rule.what}, ${why}`)]);
    risks.add('binary', [finding(why)]);
    return;
  }
  const binary = isBinary(after);
  if (binary) risks.add('binary', [finding(formatBytes(after.length))]);
  const before = startContent(change.before, contents);
  const name = folded.slice(folded.lastIndexOf('/') + 1);
  for (const rule of rules)
    risks.add(rule.class, judgeContent(rule, { name, isNew: change.before?.type !== 'file', before, after, binary }));
  if (!binary) risks.add('hidden-unicode', judgeHidden(before, after));
}

function startContent(state: FileState | undefined, contents: Contents): Buffer | undefined {
  if (state?.type !== 'file' || state.size > MAX_CONTENT_BYTES) return undefined;
  const content = contents.before();
  return content === undefined || content.length > MAX_CONTENT_BYTES ? undefined : content;
}

function nameFindings({ kind, path, after }: FileChange): Finding[] {
  if (after === undefined || kind !== 'add') return [];
  const hidden = path.includes('\\') || /[^\x20-\x7e]/.test(path) ? hiddenInName(parsePath(path)) : undefined;
  return hidden === undefined ? [] : [finding(`${hidden} in the name`)];
}

function bitFindings({ before, after }: FileChange): Finding[] {
  const gained = after?.type === 'file' && after.executable && !(before?.type === 'file' && before.executable);
  return gained ? [finding(before?.type === 'file' ? 'made executable' : 'new, executable')] : [];
}

function linkFindings({ before, after }: FileChange): Finding[] {
  if (after?.type !== 'symlink' || (before?.type === 'symlink' && before.target === after.target)) return [];
  return [finding(`to ${quoted(after.target)}`)];
}

/** The first rule of the table counts where several of a class fit. */
function rulesFor(folded: string): RiskRule[] {
  const found = MATCHER.find(folded);
  if (found.size < 2) return [...found];
  const first = new Map<RiskClass, RiskRule>();
  for (const rule of RISK_RULES) if (found.has(rule) && !first.has(rule.class)) first.set(rule.class, rule);
  return [...first.values()];
}

class RiskList {
  readonly list: Risk[] = [];

  /** At most MAX_PLACES; the last one stands for the rest. */
  add(risk: RiskClass, findings: Iterable<Finding>): void {
    let count = 0;
    let last: Finding | undefined;
    for (const found of findings) {
      if (++count < MAX_PLACES) this.list.push({ class: risk, ...found });
      else last = found;
      if (count === MAX_COUNTED) break;
    }
    if (last === undefined) return;
    const rest = count - MAX_PLACES + 1;
    const more = `${count === MAX_COUNTED ? 'at least ' : ''}${rest} more places`;
    this.list.push({ class: risk, ...(rest === 1 ? last : { what: more }) });
  }
}
