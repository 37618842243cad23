import type { McpServer } from '../protocol/mcp-server.ts';
import type { CommandRule, Origin, PathRule, RedactionPattern, ToolRule } from '../protocol/policy.ts';

/** A value, where it came from, and how to name its place to a person in an error. */
export interface Placed<T> {
  readonly value: T;
  readonly origin: Origin;
  readonly label: string;
}

/** A single value of the effective policy, by JSON pointer. A stronger layer's takes its place. */
export interface Setting extends Placed<string | number | boolean | readonly string[]> {
  readonly pointer: string;
}

/** What one layer says, in the units of the effective policy. What it does not name is left as it was. */
export interface Layer {
  readonly origin: Origin;
  /** Of the bytes of a file. */
  readonly sha256?: string;
  readonly settings: readonly Setting[];
  /** pi's list syntax, upon the tools so far. */
  readonly select?: Placed<string>;
  readonly exclude?: Placed<string>;
  /** Their tools are added after `select` and before `exclude`. */
  readonly mcpServers: readonly Placed<McpServer & { readonly name: string }>[];
  readonly toolRules: readonly Placed<ToolRule>[];
  readonly commandRules: readonly Placed<CommandRule>[];
  readonly pathRules: readonly Placed<PathRule>[];
  readonly patterns: readonly Placed<RedactionPattern>[];
  readonly includes: readonly Placed<string>[];
  readonly excludes: readonly Placed<string>[];
  /** Ids of rules and patterns of weaker layers that do not count. */
  readonly off: readonly Placed<string>[];
}
