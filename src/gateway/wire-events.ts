import type { AssistantMessage, AssistantMessageEvent, ToolCall, Usage } from '@earendil-works/pi-ai';

/** pi-messages: tokens as pi reads them. The cost stays at zero in the container; the ledger has it. */
export type WireUsage = Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'totalTokens' | 'cost'>;

/** Events of the `pi-messages` stream, as pi 1.6.0 reads them. */
export type WireEvent =
  | { type: 'start' }
  | { type: 'text_start' | 'thinking_start'; contentIndex: number }
  | { type: 'text_delta' | 'thinking_delta' | 'toolcall_delta'; contentIndex: number; delta: string }
  | { type: 'text_end'; contentIndex: number; content: string; contentSignature?: string }
  | { type: 'thinking_end'; contentIndex: number; content: string; contentSignature?: string; redacted?: boolean }
  | { type: 'toolcall_start'; contentIndex: number; id: string; toolName: string }
  | { type: 'toolcall_end'; contentIndex: number; toolCall: ToolCall }
  | TerminalEvent;

/** Exactly one of these ends a stream. */
export type TerminalEvent =
  | { type: 'done'; reason: 'stop' | 'length' | 'toolUse'; usage: WireUsage; providerThinkingLevel?: string }
  | { type: 'error'; reason: 'error' | 'aborted'; usage: WireUsage; errorMessage: string };

/** Everything but the end of an answer; a block's signature comes with its end. */
export function wireEvent(event: Exclude<AssistantMessageEvent, { type: 'done' | 'error' }>): WireEvent {
  switch (event.type) {
    case 'start':
      return { type: 'start' };
    case 'text_start':
    case 'thinking_start':
      return { type: event.type, contentIndex: event.contentIndex };
    case 'text_delta':
    case 'thinking_delta':
    case 'toolcall_delta':
      return { type: event.type, contentIndex: event.contentIndex, delta: event.delta };
    case 'text_end': {
      const block = blockAt(event.partial, event.contentIndex, 'text');
      const signature = block?.textSignature;
      return {
        type: 'text_end',
        contentIndex: event.contentIndex,
        content: event.content,
        ...(signature === undefined ? {} : { contentSignature: signature }),
      };
    }
    case 'thinking_end': {
      const block = blockAt(event.partial, event.contentIndex, 'thinking');
      return {
        type: 'thinking_end',
        contentIndex: event.contentIndex,
        content: event.content,
        ...(block?.thinkingSignature === undefined ? {} : { contentSignature: block.thinkingSignature }),
        ...(block?.redacted === undefined ? {} : { redacted: block.redacted }),
      };
    }
    case 'toolcall_start': {
      const block = blockAt(event.partial, event.contentIndex, 'toolCall');
      return {
        type: 'toolcall_start',
        contentIndex: event.contentIndex,
        id: block?.id ?? '',
        toolName: block?.name ?? '',
      };
    }
    case 'toolcall_end':
      return { type: 'toolcall_end', contentIndex: event.contentIndex, toolCall: copyCall(event.toolCall) };
  }
}

export function wireUsage(usage: Usage): WireUsage {
  return {
    input: usage.input,
    output: usage.output,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
    totalTokens: usage.totalTokens,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

type BlockOf<K extends string> = Extract<AssistantMessage['content'][number], { type: K }>;

function blockAt<K extends 'text' | 'thinking' | 'toolCall'>(
  message: AssistantMessage,
  index: number,
  type: K,
): BlockOf<K> | undefined {
  const block = message.content[index];
  return block?.type === type ? (block as BlockOf<K>) : undefined;
}

function copyCall(call: ToolCall): ToolCall {
  return {
    type: 'toolCall',
    id: call.id,
    name: call.name,
    arguments: call.arguments,
    ...(call.thoughtSignature === undefined ? {} : { thoughtSignature: call.thoughtSignature }),
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    ...(call.argumentsError === undefined ? {} : { argumentsError: call.argumentsError }),
  };
}
