import type { GateAnswer, GateRequest, ResolvedPath } from '../../src/protocol/gate.ts';
import type { ToolAnnotations } from '../../src/protocol/policy.ts';
import type { Blocked, ToolCallEvent, ToolInfo } from './pi-api.ts';
import { GUARD_PREFIX } from './prefix.ts';

/** Hints of a tool that a policy knows. */
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What the guard asks about a call. `refused`: why it blocks the call by itself. */
export function questionAbout(
  event: ToolCallEvent,
  parts: { paths: readonly ResolvedPath[]; tools: () => readonly ToolInfo[]; refused: string | undefined },
): GateRequest {
  const { toolCallId: call, toolName: tool, input, parentToolCallId: parent } = event;
  const annotations = annotationsOf(parts.tools().find(({ name }) => name === tool));
  return {
    v: 1,
    call,
    tool,
    arguments: input,
    paths: [...parts.paths],
    ...(parent === undefined ? {} : { parent }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(parts.refused === undefined ? {} : { refused: parts.refused.slice(0, 1024) }),
  };
}

/** Does as the host says. */
export function carryOut(answer: GateAnswer, event: ToolCallEvent): Blocked | undefined {
  if (answer.verdict === 'deny') return { block: true, reason: GUARD_PREFIX + answer.reason };
  if (answer.verdict === 'change') {
    // pi runs the call with this very object.
    for (const name of Object.keys(event.input)) delete event.input[name];
    Object.assign(event.input, answer.arguments);
  }
  return undefined;
}

function annotationsOf(tool: ToolInfo | undefined): ToolAnnotations | undefined {
  const given = tool?.annotations as Record<string, unknown> | undefined;
  const hints = HINTS.flatMap((name) => (typeof given?.[name] === 'boolean' ? [[name, given[name]] as const] : []));
  return hints.length === 0 ? undefined : Object.fromEntries(hints);
}
