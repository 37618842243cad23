import type { Static } from '@sinclair/typebox';
import type { ToolEnd } from './pi-schema.ts';

/**
 * The stage at which a tool call was turned away. pi's stages: is there such a tool, do the arguments fit its schema, may
 * it run (veto), did it work, does its result pass (rewrite).
 */
export type Stage =
  | 'unknown tool'
  | 'invalid arguments'
  | 'veto by the guard'
  | 'aborted'
  | 'tool error'
  | 'rewritten result';

/** Every text of the guard starts like this. */
export const GUARD_PREFIX = 'pi-sandbox: ';

/** Text of a tool result, its blocks joined. */
export function resultText(result: Static<typeof ToolEnd>['result']): string {
  return result.content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n');
}

/**
 * Which stage refused, from pi's own texts; undefined for a call that simply worked. Calls that were refused before they
 * ran have no duration, so a tool cannot take the guard's name by printing its prefix.
 */
export function refusalStage(end: Static<typeof ToolEnd>): Stage | undefined {
  const text = resultText(end.result);
  if (end.durationMs !== undefined) {
    if (end.isError) return text.endsWith('Command aborted') ? 'aborted' : 'tool error';
    return isRewritten(end, text) ? 'rewritten result' : undefined;
  }
  if (!end.isError) return undefined;
  if (text === `Tool ${end.toolName} not found`) return 'unknown tool';
  if (/^(Validation failed|Invalid arguments) for tool /.test(text)) return 'invalid arguments';
  if (text === 'Operation aborted') return 'aborted';
  return 'veto by the guard';
}

/** A handler that replaces the content makes pi drop details and structured content, which bash always has. */
function isRewritten(end: Static<typeof ToolEnd>, text: string): boolean {
  if (end.result.details !== undefined || end.result.structuredContent !== undefined) return false;
  return end.toolName === 'bash' || text.startsWith(GUARD_PREFIX);
}
