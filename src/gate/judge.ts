import { messageOf } from '../errors.ts';
import type { Decision, GateAnswer, GateRequest, JudgedCall } from '../protocol/gate.ts';
import type { GateRecord } from '../protocol/gate-record.ts';
import type { Asks } from './asks.ts';
import { MAX_CHANGE_BYTES } from './limits.ts';

/** What is to become of a call, and who says so. */
export interface Judgement {
  readonly verdict: GateAnswer['verdict'];
  readonly rule: string;
  readonly reason: string;
  readonly by: GateRecord['by'];
  /** Only of `change`. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Absent where the policy was not asked. */
  readonly matched?: Decision['matched'];
}

export interface JudgeParts {
  readonly decide: (call: JudgedCall) => Decision | Promise<Decision>;
  readonly asks: Asks;
  readonly workspace: string;
  readonly signal: AbortSignal;
}

/** Judges a call that is what it says it is. Never rejects: a fault on the way is a denial. */
export async function judge(question: GateRequest, nested: boolean, parts: JudgeParts): Promise<Judgement> {
  if (question.refused !== undefined) return { verdict: 'deny', rule: 'guard', reason: question.refused, by: 'guard' };
  try {
    const { tool, arguments: args, paths, annotations } = question;
    const decision = await whileWaited(
      parts.decide({
        ...{ tool, arguments: args, workspace: parts.workspace, paths, nested },
        ...(annotations === undefined ? {} : { annotations }),
      }),
      parts.signal,
    );
    const { rule, reason, matched } = decision;
    if (decision.verdict === 'deny') return { verdict: 'deny', rule, reason, by: 'policy', matched };
    if (decision.verdict !== 'ask') return allowed(decision, reason, 'policy');
    const asked = await parts.asks.put(
      { call: question.call, tool, arguments: args, claimed: nested },
      decision,
      parts.signal,
    );
    if (!asked.allowed) return { verdict: 'deny', rule, reason: asked.reason, by: asked.by, matched };
    return allowed(decision, asked.reason, asked.by);
  } catch (error) {
    return failed(messageOf(error));
  }
}

/** The decision, as long as somebody waits for it. */
function whileWaited(decision: Decision | Promise<Decision>, signal: AbortSignal): Decision | Promise<Decision> {
  if (!(decision instanceof Promise)) return decision;
  return Promise.race([
    decision,
    new Promise<never>((_, reject) => {
      const gone = (): void => reject(new Error('nobody waited for it any longer'));
      if (signal.aborted) gone();
      else signal.addEventListener('abort', gone, { once: true });
    }),
  ]);
}

function allowed(decision: Decision, reason: string, by: GateRecord['by']): Judgement {
  const { rule, verdict, arguments: changed, matched } = decision;
  if (changed === undefined) {
    if (verdict === 'change') return failed('it wants a change and names none');
    return { verdict: 'allow', rule, reason, by, matched };
  }
  if (Buffer.byteLength(JSON.stringify(changed)) > MAX_CHANGE_BYTES)
    return failed('the changed arguments are too long');
  return { verdict: 'change', rule, reason, by, arguments: changed, matched };
}

function failed(why: string): Judgement {
  return {
    verdict: 'deny',
    rule: 'gate.failed',
    reason: `The policy could not decide on this call: ${why}.`,
    by: 'policy',
  };
}
