import type { GatewayDelta } from './gateway-state.ts';
import type { WireEvent } from './wire-events.ts';

/** What a person who watches gets to see of an event. */
export function deltaOf(call: number, event: WireEvent): GatewayDelta | undefined {
  switch (event.type) {
    case 'start':
      return { call, type: 'start' };
    case 'text_delta':
      return { call, type: 'text', delta: event.delta };
    case 'thinking_delta':
      return { call, type: 'thinking', delta: event.delta };
    case 'toolcall_end':
      return { call, type: 'toolcall', id: event.toolCall.id, name: event.toolCall.name };
    default:
      return undefined;
  }
}
