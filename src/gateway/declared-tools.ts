import type { Message } from '@earendil-works/pi-ai';

/** Names of the tools that are in force after all system messages, sorted. */
export function declaredTools(messages: readonly Message[]): string[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'system') continue;
    for (const { name } of message.toolsRemoved ?? []) names.delete(name);
    for (const { name } of message.toolsAdded ?? []) names.add(name);
  }
  return [...names].sort();
}

/**
 * What declared and planned tools differ in, as one sentence, or undefined when they do not: all of `planned` must be
 * there, and those of `reachable` may.
 */
export function toolDifference(
  declared: readonly string[],
  planned: readonly string[],
  reachable: readonly string[] = [],
): string | undefined {
  const extra = declared.filter((name) => !planned.includes(name) && !reachable.includes(name));
  const missing = planned.filter((name) => !declared.includes(name));
  if (extra.length === 0 && missing.length === 0) return undefined;
  const parts = [
    ...(extra.length > 0 ? [`not planned: ${list(extra)}`] : []),
    ...(missing.length > 0 ? [`planned but missing: ${list(missing)}`] : []),
    ...(missing.some((name) => name.startsWith('mcp__')) ? [SERVER_MISSING] : []),
  ];
  return parts.join('; ');
}

/** pi waits ten seconds for a server, and then begins without its tools. */
const SERVER_MISSING = 'the MCP server did not start inside, or does not offer them';

/** Names shown at most; the rest is counted. */
const SHOWN = 10;

function list(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => JSON.stringify(name.slice(0, 64)));
  return names.length > SHOWN ? `${shown.join(', ')} and ${names.length - SHOWN} more` : shown.join(', ');
}
