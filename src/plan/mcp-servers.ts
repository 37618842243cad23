import { type McpServers, mcpToolName } from '../protocol/mcp-server.ts';

/** MCP tools that pi does not declare. */
export function indirectTools(servers: McpServers): string[] {
  return Object.entries(servers).flatMap(([name, { tools, exposure = 'direct' }]) =>
    exposure === 'direct' ? [] : tools.map((tool) => mcpToolName(name, tool)),
  );
}

/** In the form of pi's `mcp.json`. Everything that a server offers is hidden, apart from what the plan names. */
export function serverEntries(servers: McpServers): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, { command, args = [], tools, exposure = 'direct' }]) => {
      const toolExposure = Object.fromEntries(tools.map((tool) => [tool, exposure]));
      return [name, { command, args, exposure: 'hidden', toolExposure }];
    }),
  );
}

/** What a person should know before the start. */
export function serverNotices(servers: McpServers): string[] {
  const names = Object.keys(servers);
  if (names.length === 0) return [];
  return [
    `MCP servers start inside before the first prompt: ${names.join(', ')}. They run as pi's user, act without any tool ` +
      'call, and can change pi and the guard in it; the container is the boundary.',
  ];
}
