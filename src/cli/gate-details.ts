import { plural } from '../lib/format.ts';
import type { GateSummary } from '../protocol/gate-summary.ts';

/** Rules, questions and bypasses that are shown one by one; --json has more. */
const MAX_SHOWN = 10;

const ANSWERS = { allowed: 'allowed', denied: 'denied', none: 'no answer, so denied' } as const;

/** Calls that were turned away or failed, each with its stage, as texts of one line each; untrusted. */
export function refusedTexts({ refused, refusals }: GateSummary): string[] {
  return listed(refused, refusals, ({ number, call, tool, stage }) => `[${number ?? call}] ${tool}: ${stage}`, 'call');
}

/** What the gate of a run did, as texts of one line each; untrusted. */
export function gateTexts({
  calls,
  claimed,
  stopped,
  rules,
  questions,
  asked,
  bypasses,
  bypassed,
  worth,
}: GateSummary): string[] {
  const { allowed, changed, denied } = calls;
  const parts = [
    `${plural(allowed + changed + denied, 'call')}: ${allowed} allowed, ${changed} changed, ${denied} denied`,
    ...(claimed === 0 ? [] : [`${claimed} of them made by other tools, as pi says`]),
  ];
  return [
    parts.join('; '),
    ...listed(stopped, rules, ({ rule, by, calls }) => `denied ${calls}: ${ruleText(rule, by)}`, 'reason'),
    ...listed(questions, asked, questionText, 'question'),
    ...listed(
      bypasses,
      bypassed,
      ({ call, tool, kind }) =>
        `PASSED OVER: ${tool} call ${call} was carried out ${kind === 'unasked' ? 'unasked' : 'although denied'}`,
      'call',
    ),
    worth,
  ];
}

function ruleText(rule: string, by: GateSummary['stopped'][number]['by']): string {
  if (by === 'guard') return 'the guard itself';
  if (by === 'gateway') return `not a call that the gateway saw (${rule})`;
  return by === 'policy' ? `policy rule ${rule}` : `policy rule ${rule}, ${by === 'answer' ? 'your answer' : by}`;
}

function questionText({ ask, tool, rule, subject, answer }: GateSummary['questions'][number]): string {
  return `question ${ask}: ${tool}, rule ${rule} about ${subject}: ${ANSWERS[answer]}`;
}

function listed<T>(items: readonly T[], count: number, text: (item: T) => string, noun: string): string[] {
  const shown = items.slice(0, MAX_SHOWN).map(text);
  const more = count - shown.length;
  return more > 0 ? [...shown, `and ${plural(more, `more ${noun}`)}`] : shown;
}
