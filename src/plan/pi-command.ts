import { GUARD_ENV, GUEST, type GuardLimits, PI_NODE_FLAGS } from '../protocol/guest.ts';
import type { PlannedModel } from '../protocol/model.ts';
import type { PiPlan, RunLimits } from '../protocol/plan.ts';
import { GATE_TIMEOUT_MS, SPILL_RESERVE } from './limits.ts';

/** pi's name for the provider that is the gateway. */
export const HOST_PROVIDER = 'host';

/** How pi is started: command line and environment, both free of secrets. */
export function piCommand(options: {
  model: PlannedModel;
  tools: readonly string[];
  contextFiles: boolean;
  /** Whether `.pi` and `.agents` of the workspace take effect. */
  trusted: boolean;
  thinking: string | undefined;
  /** Search path of the image. */
  path: string;
  guardSha256: string;
  /** How long somebody may be asked about a tool call; 0 when nobody can, milliseconds. */
  askMs: number;
  limits: RunLimits;
}): PiPlan {
  const { model, tools, limits } = options;
  const guardLimits: GuardLimits = {
    bashTimeoutSeconds: limits.bashTimeoutSeconds,
    spillBytesPerCall: limits.spillBytesPerCall,
    spillBytesPerRun: limits.spillBytesPerRun,
    spillReserveBytes: SPILL_RESERVE,
    gateTimeoutMs: GATE_TIMEOUT_MS + options.askMs,
  };
  return {
    tools: [...tools],
    guardSha256: options.guardSha256,
    argv: [
      GUEST.node,
      ...PI_NODE_FLAGS,
      GUEST.piCli,
      '--mode',
      'rpc',
      '--no-session',
      // Without trust in the project no extensions, skills, templates or themes but ours. MCP servers in no case.
      ...(options.trusted ? ['-a'] : ['-na', '-ne', '-ns', '-np', '--no-themes']),
      ...(options.contextFiles ? [] : ['-nc']),
      '--no-mcp',
      '--model',
      `${HOST_PROVIDER}/${model.id}${options.thinking === undefined ? '' : `:${options.thinking}`}`,
      '--api-key',
      'placeholder',
      ...(tools.length === 0 ? ['--no-tools'] : ['--tools', tools.join(',')]),
      '-e',
      GUEST.guard,
    ],
    env: {
      PATH: options.path,
      HOME: GUEST.home,
      TMPDIR: GUEST.spill,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      JITI_FS_CACHE: 'false',
      NODE_COMPILE_CACHE: GUEST.compileCache,
      PI_CODING_AGENT_DIR: GUEST.agentDir,
      [GUARD_ENV.model]: JSON.stringify(modelEntry(model)),
      [GUARD_ENV.limits]: JSON.stringify(guardLimits),
    },
  };
}

/** The model as pi sees it. Cost is zero: money is counted on the host, and it stops pi's paid cache warming. */
function modelEntry(model: PlannedModel): Record<string, unknown> {
  return {
    id: model.id,
    name: model.name,
    reasoning: model.reasoning,
    input: model.input,
    contextWindow: model.contextWindow,
    maxTokens: model.maxTokens,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}
