import { Wildcard } from '../lib/wildcard.ts';
import type { JudgedCall, RuleMatch } from '../protocol/gate.ts';
import type { Policy, ToolAnnotations, ToolRule } from '../protocol/policy.ts';

/** Tools that pi brings along. Those and MCP tools that the policy does not give are refused here as well, whoever calls. */
const BUILT_IN = ['read', 'bash', 'powershell', 'edit', 'write', 'grep', 'find', 'ls', 'codemode', 'tool_search'];

/**
 * What the tool rules say of a call. Annotations are what a tool says of itself, unverified: a rule that needs a hint
 * can be escaped by a tool that does not give it, so rules that must hold go by name.
 */
export function judgeTool(policy: Policy['tools'], call: JudgedCall): readonly RuleMatch[] {
  const subject = `tool ${call.tool}`;
  const matches = policy.rules.flatMap((rule) => {
    const detail = meets(rule, call);
    return detail === undefined ? [] : [{ rule: rule.id, verdict: rule.verdict, reason: rule.reason, subject, detail }];
  });
  const isOfExtension = !BUILT_IN.includes(call.tool) && !call.tool.startsWith('mcp__');
  if (isOfExtension || policy.names.includes(call.tool)) return matches;
  const reason = 'The policy does not give this tool to the agent.';
  return [...matches, { rule: 'tools.names', verdict: 'deny', reason, subject, detail: `${call.tool} is not chosen` }];
}

function meets(rule: ToolRule, call: JudgedCall): string | undefined {
  const seen: string[] = [];
  if (rule.tools !== undefined) {
    const glob = rule.tools.find((tools) => new Wildcard(tools).matches(call.tool));
    if (glob === undefined) return undefined;
    seen.push(`tools ${glob}`);
  }
  if (rule.annotations !== undefined) {
    const hints = hintsMet(rule.annotations, call.annotations ?? {});
    if (hints === undefined) return undefined;
    seen.push(`${hints} (what the tool says of itself, unverified)`);
  }
  if (rule.nested !== undefined) {
    if (rule.nested !== call.nested) return undefined;
    seen.push(call.nested ? 'made by another tool' : 'made by the model');
  }
  return seen.join(', ') || 'every tool';
}

function hintsMet(wanted: ToolAnnotations, given: ToolAnnotations): string | undefined {
  const hints = Object.entries(wanted) as [keyof ToolAnnotations, boolean][];
  if (!hints.every(([hint, value]) => given[hint] === value)) return undefined;
  return hints.map(([hint, value]) => `${hint} ${value}`).join(', ') || 'no hint needed';
}
