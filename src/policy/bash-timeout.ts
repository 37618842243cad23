import type { RuleMatch } from '../protocol/gate.ts';
import type { Policy } from '../protocol/policy.ts';

/**
 * What a bash call gets instead when it would have a longer timeout than the policy allows: its own, or of a call that
 * names none, that of the run. Texts count as pi reads them: it makes numbers of them before the tool runs. What pi
 * refuses (zero, no number) is left for pi to refuse.
 */
export function cappedTimeout(
  policy: Policy,
  given: Readonly<Record<string, unknown>>,
): { readonly arguments: Readonly<Record<string, unknown>>; readonly why: RuleMatch } | undefined {
  const maxSeconds = policy.maxBashTimeoutSeconds;
  // Null stands for a missing value: so pi takes it.
  const seconds = secondsOf(given['timeout'] ?? policy.limits.bashTimeoutMs / 1000);
  if (maxSeconds === undefined || seconds === undefined || seconds <= maxSeconds) return undefined;
  const why: RuleMatch = {
    rule: 'limits.maxBashTimeout',
    verdict: 'allow',
    reason: `A bash call may take ${maxSeconds} s at most, so that is its timeout.`,
    subject: `timeout ${seconds}`,
    detail: `timeout ${seconds} s is longer than ${maxSeconds} s`,
  };
  return { arguments: { ...given, timeout: maxSeconds }, why };
}

function secondsOf(timeout: unknown): number | undefined {
  if (typeof timeout === 'boolean') return Number(timeout);
  if (typeof timeout === 'string' && timeout.trim() === '') return undefined;
  if (typeof timeout !== 'number' && typeof timeout !== 'string') return undefined;
  const seconds = Number(timeout);
  return Number.isNaN(seconds) ? undefined : seconds;
}
