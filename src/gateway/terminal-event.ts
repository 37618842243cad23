import type { AssistantMessage } from '@earendil-works/pi-ai';
import { type TerminalEvent, wireUsage } from './wire-events.ts';

/** The one event that ends an answer. `idleMs` is set when the provider was silent for that long. */
export function terminalEvent(message: AssistantMessage, { idleMs }: { idleMs: number | undefined }): TerminalEvent {
  const usage = wireUsage(message.usage);
  const { stopReason } = message;
  if (idleMs !== undefined) {
    const errorMessage = `The provider was silent for ${idleMs} ms (limit gateway.idleMs); the run is out of budget.`;
    return { type: 'error', reason: 'error', usage, errorMessage };
  }
  switch (stopReason) {
    case 'stop':
    case 'length':
    case 'toolUse': {
      const level = message.providerThinkingLevel;
      return {
        type: 'done',
        reason: stopReason,
        usage,
        ...(level === undefined ? {} : { providerThinkingLevel: level }),
      };
    }
    case 'aborted':
      return { type: 'error', reason: 'aborted', usage, errorMessage: 'The call was aborted.' };
    default:
      return {
        type: 'error',
        reason: 'error',
        usage,
        errorMessage: message.errorMessage ?? 'The provider reported a failure.',
      };
  }
}
