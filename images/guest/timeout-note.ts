import type { Content, ToolResultEvent } from './pi-api.ts';

/**
 * The content of a bash result with one more sentence, where the call ended by the timeout that it did not ask for.
 * Undefined for every other result.
 */
export function noteDefaultTimeout(event: ToolResultEvent, seconds: number): readonly Content[] | undefined {
  if (event.toolName !== 'bash' || !event.isError || event.input['timeout'] !== undefined) return undefined;
  const last = event.content.at(-1);
  if (last?.type !== 'text') return undefined;
  // Only the last paragraph is pi's own; before it stands the command's output, which may hold the same words.
  const status = last.text.slice(last.text.lastIndexOf('\n\n') + 1).trim();
  if (!status.startsWith(`Command timed out after ${seconds} seconds`)) return undefined;
  const note = ` ${seconds} seconds is the default of this sandbox; a call that needs longer passes its own timeout, in seconds.`;
  const text = `${last.text}${last.text.endsWith('.') ? '' : '.'}${note}`;
  return [...event.content.slice(0, -1), { type: 'text', text }];
}
