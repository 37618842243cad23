import { SandboxError } from '../errors.ts';
import { type McpServer, type McpServers, mcpToolName } from '../protocol/mcp-server.ts';
import type { Layer, Placed } from './layer.ts';
import { REACHING_TOOLS } from './tools.ts';

type Named = Placed<McpServer & { readonly name: string }>;

/** Longest name of a tool that every provider takes, characters. */
const MAX_TOOL_NAME = 64;

/** The servers of all layers, and what is wrong with them together. */
export class MergedServers {
  readonly #servers = new Map<string, Named>();
  readonly problems: SandboxError[] = [];

  constructor(layers: readonly Layer[]) {
    for (const server of layers.flatMap(({ mcpServers }) => mcpServers)) this.#add(server);
  }

  /** pi's names for all of their tools. */
  get tools(): string[] {
    return [...this.#servers.values()].flatMap(({ value }) => toolsOf(value));
  }

  /** Servers with a chosen tool, with these alone, and where each comes from. Pushes problems that the choice makes. */
  chosen(names: readonly string[]): { servers: McpServers; origins: Record<string, string> } {
    const servers: McpServers = {};
    const origins: Record<string, string> = {};
    for (const { value, origin, label } of this.#servers.values()) {
      const { name, ...server } = value;
      const tools = server.tools.filter((tool) => names.includes(mcpToolName(name, tool)));
      if (tools.length === 0) continue;
      servers[name] = { ...server, tools };
      origins[`/mcp/servers/${name}/command`] = origin;
      const { exposure = 'direct' } = server;
      if (exposure === 'direct' || REACHING_TOOLS.some((tool) => names.includes(tool))) continue;
      this.problems.push(
        new SandboxError('policy', `${label}: nothing reaches its tools, as they are not declared to the model.`, {
          hint: 'Choose what does (tools.select: "+codemode"), or leave exposure out.',
        }),
      );
    }
    return { servers, origins };
  }

  #add(server: Named): void {
    const { value, label } = server;
    const first = this.#servers.get(value.name);
    if (first !== undefined) {
      this.problems.push(
        new SandboxError('policy', `${label}: there is a server "${value.name}" already, in ${first.origin}.`, {
          hint: 'Give it another name.',
        }),
      );
    } else this.#servers.set(value.name, server);
  }
}

export function toolsOf({ name, tools }: Pick<McpServer, 'tools'> & { readonly name: string }): string[] {
  return tools.map((tool) => mcpToolName(name, tool));
}

/** Why pi would know tools of a server by other names than these. */
export function badToolNames(name: string, tools: readonly string[]): string | undefined {
  const names = toolsOf({ name, tools: [...tools] });
  const long = names.find((tool) => tool.length > MAX_TOOL_NAME);
  if (long !== undefined) return `the name ${long} has more than ${MAX_TOOL_NAME} characters`;
  const twice = names.find((tool, index) => names.indexOf(tool) !== index);
  return twice === undefined ? undefined : `two of its tools have the name ${twice}`;
}
