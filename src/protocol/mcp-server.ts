import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false } as const;

/** Name of a server. pi takes more characters, and names that differ in `-` and `_` for the same. */
export const McpServerName = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' });

/**
 * How the model reaches the tools of a server: declared to it; called from scripts of `codemode`; or declared once
 * `tool_search` has found them. Of the last two pi has either find the tools of both.
 */
export const McpExposure = Type.Union([Type.Literal('direct'), Type.Literal('codemode'), Type.Literal('deferred')]);
export type McpExposure = Static<typeof McpExposure>;

/**
 * A program that speaks MCP on its standard input and output. pi starts it in the container, as its own user; servers
 * elsewhere cannot be reached from there.
 */
export const McpServer = Type.Object(
  {
    /** Program inside the container: a path, or a name on the image's search path. Not a shell command. */
    command: Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]+$' }),
    args: Type.Optional(Type.Array(Type.String({ maxLength: 4096, pattern: '^[^\\u0000]*$' }), { maxItems: 64 })),
    /** The tools that the agent gets, by the server's own names. What else it offers cannot be reached. */
    tools: Type.Array(Type.String({ pattern: '^[A-Za-z0-9_./-]{1,64}$' }), { minItems: 1, maxItems: 64 }),
    /** `direct` when absent. */
    exposure: Type.Optional(McpExposure),
  },
  strict,
);
export type McpServer = Static<typeof McpServer>;

export const McpServers = Type.Record(McpServerName, McpServer, strict);
export type McpServers = Static<typeof McpServers>;

/** pi's name for a tool of a server. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server.replaceAll('-', '_')}__${tool.replaceAll(/[^A-Za-z0-9_]/g, '_')}`;
}
