import { REPOSITORY_READY } from './bootstrap.ts';

/** What the bridge says when the host ends the wire in order. */
export const BRIDGE_FAREWELLS = ['bridge: the host said goodbye', 'bridge: input ended'] as const;

const OWN_LINES: ReadonlySet<string> = new Set([REPOSITORY_READY, ...BRIDGE_FAREWELLS]);

/** What stands on an error stream besides our own words about an orderly start and end, which explain no failure. */
export function withoutOwnLines(text: string): string {
  const lines = text.split('\n').filter((line) => !OWN_LINES.has(line));
  return lines.join('\n');
}
