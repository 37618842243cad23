import { createHash } from 'node:crypto';
import type { CommandJudge, Decision, JudgedCall, RuleMatch } from '../protocol/gate.ts';
import type { Policy } from '../protocol/policy.ts';
import { cappedTimeout } from './bash-timeout.ts';
import { readFileCall } from './file-call.ts';
import { judgePaths } from './judge-paths.ts';
import { judgeTool } from './judge-tool.ts';
import { judgeWords } from './judge-words.ts';
import { STRICTNESS } from './strictness.ts';

/** UTF-16 units; the end of a longer subject is its digest, so that different ones stay different. */
const MAX_SUBJECT = 300;
const MAX_DETAIL = 500;
/** Rules of a decision that are kept to be shown. */
const MAX_MATCHED = 100;

/**
 * What the policy says of a call: rules for tools, paths and commands together, and of all that the call meets the
 * strictest. Pure: the same policy and call give the same decision. Never throws: what cannot be judged is denied.
 */
export function decide(policy: Policy, call: JudgedCall, judgeCommand: CommandJudge): Decision {
  try {
    return join(policy, call, [...judgeTool(policy.tools, call), ...judgeArguments(policy, call, judgeCommand)]);
  } catch {
    return join(policy, call, [malformed(call, 'it could not be judged')]);
  }
}

function judgeArguments(policy: Policy, call: JudgedCall, judgeCommand: CommandJudge): readonly RuleMatch[] {
  const file = readFileCall(call);
  if (file !== undefined)
    return 'malformed' in file ? [malformed(call, file.malformed)] : judgePaths(policy.paths, call, file);
  if (call.tool === 'powershell') return [malformed(call, 'no grammar for its commands is known')];
  if (call.tool !== 'bash') return [];
  const command = call.arguments['command'];
  if (typeof command !== 'string') return [malformed(call, 'its command is not a text')];
  if (command.includes('\0')) return [malformed(call, 'its command holds a NUL character')];
  const judged = judgeCommand(policy.commands, command);
  return [...judged.matches, ...judgeWords(policy, call, judged.words)];
}

function malformed(call: JudgedCall, why: string): RuleMatch {
  return {
    rule: 'arguments',
    verdict: 'deny',
    reason: `This call cannot be judged, so it is not made: ${why}.`,
    subject: `tool ${call.tool}`,
    detail: why,
  };
}

function join(policy: Policy, call: JudgedCall, matches: readonly RuleMatch[]): Decision {
  // A stable sort: of equals a rule goes before a default, which has a dot in its name, and else the order decides.
  const ordered = [...matches].sort(
    (a, b) =>
      STRICTNESS[b.verdict] - STRICTNESS[a.verdict] || Number(a.rule.includes('.')) - Number(b.rule.includes('.')),
  );
  const [first = unnamed(call)] = ordered;
  const capped = call.tool === 'bash' ? cappedTimeout(policy, call.arguments) : undefined;
  const changes = capped !== undefined && first.verdict !== 'deny';
  const deciding = changes && first.verdict === 'allow' ? capped.why : first;
  const others = [...(ordered.length === 0 ? [first] : ordered), ...(changes ? [capped.why] : [])];
  return {
    verdict: deciding === capped?.why ? 'change' : deciding.verdict,
    rule: deciding.rule,
    reason: oneLine(deciding.reason),
    subject: subjectOf(deciding, ordered),
    ...(changes ? { arguments: capped.arguments } : {}),
    matched: [deciding, ...others.filter((other) => other !== deciding)].slice(0, MAX_MATCHED).map((match) => ({
      rule: match.rule,
      verdict: match === capped?.why ? 'change' : match.verdict,
      detail: clipped(match.detail, MAX_DETAIL),
    })),
  };
}

function unnamed(call: JudgedCall): RuleMatch {
  return {
    rule: 'tools.default',
    verdict: 'allow',
    reason: 'No rule names this tool, and the policy gives it to the agent.',
    subject: `tool ${call.tool}`,
    detail: 'no rule names it',
  };
}

/**
 * A yes covers all that asked, not only what asked first: `git push && cat .env` is two things. So are two rules that ask
 * about the same; a yes for the run to one of them is none to the other.
 */
function subjectOf(deciding: RuleMatch, matches: readonly RuleMatch[]): string {
  if (deciding.verdict !== 'ask') return clipped(deciding.subject, MAX_SUBJECT);
  const asking = matches
    .filter(({ verdict }) => verdict === 'ask')
    .map(({ rule, subject }) => (rule === deciding.rule ? subject : `${subject} (${rule})`));
  return clipped([...new Set(asking)].join('; '), MAX_SUBJECT);
}

/** A text that had to be changed ends with the digest of what it was. */
function clipped(text: string, max: number): string {
  const line = oneLine(text);
  if (line === text && line.length <= max) return line;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${line.slice(0, max - digest.length - 2).replace(/[\uD800-\uDBFF]$/, '')}… ${digest}`;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
