import type { Static } from '@sinclair/typebox';
import type { GateRecord } from '../protocol/gate-record.ts';
import type { Source } from '../protocol/record.ts';
import type { ToolEnd } from './pi-schema.ts';

/**
 * The stage at which a tool call was turned away. pi's own come first: is there such a tool, do the arguments fit its
 * schema. Then the gate: a rule of the policy, the person or program that was asked, nobody who answered, a local refusal
 * of the guard, a call that is not the one which the gateway saw, a limit of the gate. Then the tool itself.
 */
export type Stage =
  | 'unknown tool'
  | 'invalid arguments'
  | 'policy rule'
  | 'denied by you'
  | 'no answer'
  | 'guard'
  | 'gate'
  | 'limit'
  | 'aborted'
  | 'tool error'
  | 'rewritten result';

/** What turned a call away. */
export interface Refusal {
  readonly stage: Stage;
  /** `observed`: the host decided it. `claimed`: read from pi's words. */
  readonly source: Source;
  /** Of the gate: the rule that decided. */
  readonly rule?: string;
  /** Of the gate: in words. */
  readonly reason?: string;
  /** pi says that the call was carried out all the same. */
  readonly ignored?: true;
}

/** Every text of the guard starts like this. */
export const GUARD_PREFIX = 'pi-sandbox: ';
/** Rule of the gate for calls beyond those that it keeps track of. */
const GATE_LIMIT = 'gate.limit';

/** Text of a tool result, its blocks joined. */
export function resultText(result: Static<typeof ToolEnd>['result']): string {
  return result.content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n');
}

/** What turned a call away; undefined for one that simply worked. The word of the gate about it counts before pi's. */
export function refusalOf(end: Static<typeof ToolEnd>, gate: GateRecord | undefined): Refusal | undefined {
  const denied = gate === undefined ? undefined : gateRefusal(gate);
  if (denied !== undefined) {
    return end.durationMs === undefined || end.isError ? denied : { ...denied, ignored: true };
  }
  const stage = claimedStage(end);
  return stage === undefined ? undefined : { stage, source: 'claimed' };
}

/** What the gate refused, and why; undefined for what it allowed. */
export function gateRefusal({ verdict, by, rule, reason }: GateRecord): Refusal | undefined {
  if (verdict !== 'deny') return undefined;
  const stages = { policy: 'policy rule', answer: 'denied by you', 'no answer': 'no answer', guard: 'guard' } as const;
  const stage = by === 'gateway' ? (rule === GATE_LIMIT ? 'limit' : 'gate') : stages[by];
  return { stage, source: 'observed', rule, reason };
}

/**
 * By pi's own texts. Calls that were refused before they ran have no duration, so a tool cannot take the guard's name by
 * printing its prefix.
 */
function claimedStage(end: Static<typeof ToolEnd>): Stage | undefined {
  const text = resultText(end.result);
  if (end.durationMs !== undefined) {
    if (end.isError) return text.endsWith('Command aborted') ? 'aborted' : 'tool error';
    return isRewritten(end, text) ? 'rewritten result' : undefined;
  }
  if (!end.isError) return undefined;
  if (text === `Tool ${end.toolName} not found`) return 'unknown tool';
  if (/^(Validation failed|Invalid arguments) for tool /.test(text)) return 'invalid arguments';
  if (text === 'Operation aborted') return 'aborted';
  return 'guard';
}

/** A handler that replaces the content makes pi drop details and structured content, which bash always has. */
function isRewritten(end: Static<typeof ToolEnd>, text: string): boolean {
  if (end.result.details !== undefined || end.result.structuredContent !== undefined) return false;
  return end.toolName === 'bash' || text.startsWith(GUARD_PREFIX);
}

/** `policy rule git-push`, `denied by you, rule git-push`, `unknown tool, as pi says`. */
export function refusalText({ stage, source, rule }: Refusal): string {
  if (source === 'claimed') return `${stage}, as pi says`;
  if (stage === 'policy rule') return `policy rule ${rule}`;
  return rule === undefined || stage === 'guard' ? stage : `${stage}, rule ${rule}`;
}
