import { GUARD_ENV, GUEST, type GuardLimits, PI_NODE_FLAGS } from '../protocol/guest.ts';
import type { McpServers } from '../protocol/mcp-server.ts';
import type { PlannedModel } from '../protocol/model.ts';
import type { NetworkPlan } from '../protocol/network.ts';
import type { PiPlan, RunLimits } from '../protocol/plan.ts';
import { GATE_TIMEOUT_MS, SPILL_RESERVE } from './limits.ts';
import { indirectTools, serverEntries } from './mcp-servers.ts';
import { proxyEnv } from './proxy-env.ts';

/** pi's name for the provider that is the gateway. */
export const HOST_PROVIDER = 'host';

/** Tools that live in built-in extensions of pi, which are loaded for them alone. */
const BUILT_IN_EXTENSIONS: Readonly<Record<string, string>> = {
  codemode: 'builtin:codemode',
  tool_search: 'builtin:tool-search',
};

/** How pi is started: command line and environment, both free of secrets. */
export function piCommand(options: {
  model: PlannedModel;
  network: NetworkPlan;
  tools: readonly string[];
  /** Those among the tools that come from MCP servers, and the servers. */
  mcpServers: McpServers;
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
  const { model, tools, mcpServers, limits } = options;
  const withMcp = Object.keys(mcpServers).length > 0;
  const indirect = indirectTools(mcpServers);
  const guardLimits: GuardLimits = {
    bashTimeoutSeconds: limits.bashTimeoutSeconds,
    spillBytesPerCall: limits.spillBytesPerCall,
    spillBytesPerRun: limits.spillBytesPerRun,
    spillReserveBytes: SPILL_RESERVE,
    gateTimeoutMs: GATE_TIMEOUT_MS + options.askMs,
  };
  return {
    tools: tools.filter((tool) => !indirect.includes(tool)),
    ...(indirect.length === 0 ? {} : { reachable: indirect }),
    guardSha256: options.guardSha256,
    argv: [
      GUEST.node,
      ...PI_NODE_FLAGS,
      GUEST.piCli,
      '--mode',
      'rpc',
      '--no-session',
      // Without trust in the project no extensions, skills, templates or themes but ours. MCP servers are those of the policy.
      ...(options.trusted ? ['-a'] : ['-na', '-ne', '-ns', '-np', '--no-themes']),
      ...(options.contextFiles ? [] : ['-nc']),
      ...(withMcp ? [] : ['--no-mcp']),
      '--model',
      `${HOST_PROVIDER}/${model.id}${options.thinking === undefined ? '' : `:${options.thinking}`}`,
      '--api-key',
      'placeholder',
      ...(tools.length === 0 ? ['--no-tools'] : ['--tools', tools.join(',')]),
      ...extensions(options, withMcp).flatMap((name) => ['-e', name]),
      // Last, so that nothing changes a call after the host has judged it.
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
      ...(options.network.mode === 'none' ? {} : { [GUARD_ENV.commandEnv]: JSON.stringify(proxyEnv(options.network)) }),
      ...(withMcp ? { [GUARD_ENV.mcpServers]: JSON.stringify(serverEntries(mcpServers)) } : {}),
    },
  };
}

/** Of pi's own, those that the tools need. In a trusted project pi loads all of them by itself. */
function extensions({ tools, trusted }: { tools: readonly string[]; trusted: boolean }, withMcp: boolean): string[] {
  if (trusted) return [];
  return [...tools.flatMap((tool) => BUILT_IN_EXTENSIONS[tool] ?? []), ...(withMcp ? ['builtin:mcp'] : [])];
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
