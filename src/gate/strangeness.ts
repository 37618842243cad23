import type { GateRequest } from '../protocol/gate.ts';
import { argumentsDigest } from './digest.ts';
import type { Judgement } from './judge.ts';
import type { KnownCalls } from './known-calls.ts';
import { MAX_NESTED } from './limits.ts';

/** Tools of pi that call no other tool, so nothing can be their nested call. Those of MCP servers cannot either. */
const LEAVES = new Set(['read', 'bash', 'powershell', 'edit', 'write', 'grep', 'find', 'ls', 'tool_search']);
/** The tool that calls others is called by the model alone. */
const CALLER = 'codemode';

/**
 * Why a question is not about a call that can be: one that the gateway saw, with the arguments that it saw, or one that
 * such a call makes in its turn. Undefined when it is.
 */
export function strangeness(question: GateRequest, calls: KnownCalls, tools: readonly string[]): Judgement | undefined {
  const known = calls.get(question.call);
  if (known === undefined) return nested(question, calls, tools);
  if ((known.seen === 'claimed') !== (question.parent !== undefined)) {
    return denied('gate.other-call', 'Whether another tool made this call is told otherwise than it was seen.');
  }
  if (known.tool !== question.tool) return denied('gate.other-call', 'The model asked for another tool in this call.');
  // Undefined on both sides would be equal, and is not.
  const digest = argumentsDigest(question.arguments);
  if (digest === undefined || digest !== known.digest) {
    return denied('gate.other-call', 'The arguments of this call are not those that the model gave.');
  }
  return undefined;
}

function nested(
  { call, parent, tool }: GateRequest,
  calls: KnownCalls,
  tools: readonly string[],
): Judgement | undefined {
  if (parent === undefined) return denied('gate.unknown-call', 'The model did not ask for this call.');
  const made = calls.get(parent);
  if (made === undefined || !/^\/\d{1,9}$/.test(call.startsWith(parent) ? call.slice(parent.length) : '')) {
    return denied('gate.unknown-call', 'The model did not ask for the call that is said to have made this one.');
  }
  if (LEAVES.has(made.tool) || made.tool.startsWith('mcp__'))
    return denied('gate.unknown-call', `The tool ${made.tool} makes no calls of its own.`);
  if (made.verdict !== 'allow' && made.verdict !== 'change') {
    return denied('gate.unknown-call', 'The call that is said to have made this one was not allowed to run.');
  }
  if (!tools.includes(tool)) return denied('gate.tool', 'The plan of this run does not have this tool.');
  if (tool === CALLER) return denied('gate.unknown-call', `The tool ${tool} is never called by another one.`);
  if (calls.nestedIn(parent) >= MAX_NESTED) {
    return denied('gate.limit', `One call may make ${MAX_NESTED} calls of its own, and this one has made them.`);
  }
  if (!calls.hasRoom) return denied('gate.limit', 'This run has made more calls than are kept track of.');
  return undefined;
}

function denied(rule: string, reason: string): Judgement {
  return { verdict: 'deny', rule, reason, by: 'gateway' };
}
