import { Gate } from '../gate/gate.ts';
import type { AskGate } from '../protocol/gate.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { ExecuteParts } from './execute.ts';
import type { RunFiles } from './run-files.ts';
import type { RunTimers } from './timers.ts';

/** Longest id and tool name in the ledger, characters. */
const MAX_NAME_CHARS = 256;

/** The gate of a run, joined to its policy, its records and whoever can be asked. */
export function gateOfRun(parts: ExecuteParts, plan: RunPlan, files: RunFiles, timers: RunTimers): Gate {
  const { host, prepared } = parts;
  const { askGate } = host;
  // While a person thinks, the agent is not idle. Terminal and standard output are sinks like any other.
  const ask: AskGate | undefined =
    askGate && ((question, signal) => timers.holding(askGate(prepared.redaction.json(question), signal)));
  return new Gate({
    decide: prepared.decide,
    ask,
    askTimeoutMs: prepared.policy.ask.timeoutMs,
    tools: [...plan.pi.tools, ...(plan.pi.reachable ?? [])],
    workspace: plan.workspace.path,
    keep: ({ call, tool, verdict, rule }) =>
      files.ledger({
        ...{ v: 1, entry: 'gate', time: host.now().toISOString(), run: plan.run },
        ...{ toolCall: call.slice(0, MAX_NAME_CHARS), tool: tool.slice(0, MAX_NAME_CHARS), verdict, rule },
      }),
    record: (entry) => {
      timers.touch();
      void files.record(entry);
    },
  });
}
