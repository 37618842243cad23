import type { AssistantMessage, JsonObject, JsonValue, Message, Tool } from '@earendil-works/pi-ai';
import type { MessagesRequest, RequestMessage, RequestTool } from './request-schema.ts';

/** What pi-ai compares to decide whether signed thinking may be sent back. */
export interface ModelIdentity {
  readonly provider: string;
  readonly api: string;
  readonly model: string;
}

/** How pi in the container names the one model that it knows. */
export const CONTAINER_PROVIDER = 'host';
export const CONTAINER_API = 'pi-messages';

/** Stands for whoever else is said to have written a message. No provider has this name, so nothing is replayed as signed. */
const STRANGER: ModelIdentity = { provider: 'unknown', api: 'unknown', model: 'unknown' };

type Assistant = Extract<RequestMessage, { role: 'assistant' }>;
type Block = Assistant['content'][number];

/**
 * Copies a checked request into fresh messages, field by field, so that nothing unknown travels on. Assistant
 * messages of the run's own model get back its real identity, without which pi-ai drops signatures; those of
 * anybody else lose thinking and signatures.
 */
export function conversationOf(request: MessagesRequest, planned: string, real: ModelIdentity): Message[] {
  return request.context.messages.map((message) => copyMessage(message, planned, real));
}

function copyMessage(message: RequestMessage, planned: string, real: ModelIdentity): Message {
  switch (message.role) {
    case 'system':
      return {
        role: 'system',
        content: typeof message.content === 'string' ? message.content : message.content.map(copyPlain),
        ...(message.sections === undefined ? {} : { sections: withoutProto(message.sections) }),
        ...(message.toolsAdded === undefined ? {} : { toolsAdded: message.toolsAdded.map(copyTool) }),
        ...(message.toolsRemoved === undefined
          ? {}
          : { toolsRemoved: message.toolsRemoved.map(({ name }) => ({ name })) }),
        timestamp: message.timestamp,
      };
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(copyPlain),
        timestamp: message.timestamp,
      };
    case 'toolResult':
      return {
        role: 'toolResult',
        toolCallId: message.toolCallId,
        toolName: message.toolName,
        content: message.content.map(copyPlain),
        isError: message.isError,
        timestamp: message.timestamp,
      };
    case 'assistant':
      return copyAssistant(message, planned, real);
  }
}

function copyAssistant(message: Assistant, planned: string, real: ModelIdentity): AssistantMessage {
  const own = message.provider === CONTAINER_PROVIDER && message.api === CONTAINER_API && message.model === planned;
  const { usage, providerThinkingLevel } = message;
  return {
    role: 'assistant',
    content: message.content.flatMap((block) => (own ? [copyBlock(block)] : unsigned(block))),
    ...(own ? real : STRANGER),
    ...(own && providerThinkingLevel !== undefined ? { providerThinkingLevel } : {}),
    usage: {
      input: usage.input,
      output: usage.output,
      cacheRead: usage.cacheRead,
      cacheWrite: usage.cacheWrite,
      totalTokens: usage.totalTokens,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: message.stopReason,
    timestamp: message.timestamp,
  };
}

function copyBlock(block: Block): AssistantMessage['content'][number] {
  switch (block.type) {
    case 'text':
      return {
        type: 'text',
        text: block.text,
        ...(block.textSignature === undefined ? {} : { textSignature: block.textSignature }),
      };
    case 'thinking':
      return {
        type: 'thinking',
        thinking: block.thinking,
        ...(block.thinkingSignature === undefined ? {} : { thinkingSignature: block.thinkingSignature }),
        ...(block.redacted === undefined ? {} : { redacted: block.redacted }),
      };
    case 'toolCall':
      return {
        type: 'toolCall',
        id: block.id,
        name: block.name,
        arguments: copyObject(block.arguments),
        ...(block.thoughtSignature === undefined ? {} : { thoughtSignature: block.thoughtSignature }),
        ...(block.namespace === undefined ? {} : { namespace: block.namespace }),
        ...(block.argumentsError === undefined ? {} : { argumentsError: block.argumentsError }),
      };
  }
}

function unsigned(block: Block): AssistantMessage['content'] {
  if (block.type === 'thinking') return [];
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  return [{ type: 'toolCall', id: block.id, name: block.name, arguments: copyObject(block.arguments) }];
}

function copyPlain<T extends { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string }>(
  block: T,
): T extends { type: 'text' } ? { type: 'text'; text: string } : Extract<CopiedPlain, { type: T['type'] }>;
function copyPlain(block: CopiedPlain): CopiedPlain {
  return block.type === 'text'
    ? { type: 'text', text: block.text }
    : { type: 'image', data: block.data, mimeType: block.mimeType };
}
type CopiedPlain = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

function copyTool(tool: RequestTool): Tool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: copyObject(tool.parameters),
    ...(tool.constrainedSampling === undefined ? {} : { constrainedSampling: copySampling(tool.constrainedSampling) }),
  };
}

function copySampling(
  sampling: NonNullable<RequestTool['constrainedSampling']>,
): NonNullable<Tool['constrainedSampling']> {
  if (sampling === false) return false;
  if (sampling.type === 'json_schema') return { type: 'json_schema', strict: sampling.strict };
  const { openai_lark, openai_regex } = sampling.variants;
  return {
    type: 'grammar',
    variants: {
      ...(openai_lark === undefined ? {} : { openai_lark }),
      ...(openai_regex === undefined ? {} : { openai_regex }),
    },
  };
}

/** Free-form JSON, copied. `__proto__` is left behind: assigned to an ordinary object it would change its prototype. */
function copyObject(value: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, inner]) => [key, copyJson(inner)]),
  );
}

function copyJson(value: unknown): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (Array.isArray(value)) return value.map(copyJson);
  if (typeof value === 'object') return copyObject(value as Record<string, unknown>);
  return null;
}

function withoutProto<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== '__proto__'));
}
