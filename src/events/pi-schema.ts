import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';

/**
 * The events of pi 1.6.0 in RPC mode: the fields that we use are checked, all others are kept. Everything in them is a
 * claim of whoever can write to pi's output.
 */
const event = <T extends string, P extends TProperties>(type: T, fields: P) =>
  Type.Object({ type: Type.Literal(type), ...fields }, { additionalProperties: true });

const Text = Type.String();
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** `text` blocks carry `text`; `image`, `toolCall` and `thinking` blocks are kept as they are. */
const Block = Type.Object({ type: Text, text: Type.Optional(Text) }, { additionalProperties: true });
const Content = Type.Array(Block);
const Message = Type.Object(
  {
    role: Text,
    content: Type.Optional(Type.Union([Text, Content])),
    stopReason: Type.Optional(Text),
    errorMessage: Type.Optional(Text),
  },
  { additionalProperties: true },
);
const Result = Type.Object(
  {
    content: Content,
    details: Type.Optional(Type.Unknown()),
    structuredContent: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: true },
);
const toolCall = { toolCallId: Text, toolName: Text };

export const Response = event('response', {
  id: Type.Optional(Type.Union([Text, Type.Number()])),
  command: Text,
  success: Type.Boolean(),
  error: Type.Optional(Text),
  data: Type.Optional(Type.Unknown()),
});
export const MessageEnd = event('message_end', { message: Message });
export const ToolStart = event('tool_execution_start', {
  ...toolCall,
  args: Type.Unknown(),
  /** The call that made this one. */
  parentToolCallId: Type.Optional(Text),
});
export const ToolUpdate = event('tool_execution_update', { ...toolCall, partialResult: Result });
export const ToolEnd = event('tool_execution_end', {
  ...toolCall,
  result: Result,
  isError: Type.Boolean(),
  /** Absent when the call was refused before it ran. Milliseconds. */
  durationMs: Type.Optional(Type.Number({ minimum: 0 })),
});
export const RetryStart = event('auto_retry_start', {
  attempt: Count,
  maxAttempts: Count,
  delayMs: Type.Number({ minimum: 0 }),
  errorMessage: Text,
});

const schemas = [
  Response,
  event('agent_start', {}),
  event('agent_end', { willRetry: Type.Optional(Type.Boolean()) }),
  event('agent_settled', { aborted: Type.Optional(Type.Boolean()) }),
  event('turn_start', {}),
  event('turn_end', { message: Type.Optional(Message) }),
  event('message_start', { message: Message }),
  event('message_update', { assistantMessageEvent: Type.Object({ type: Text }, { additionalProperties: true }) }),
  MessageEnd,
  ToolStart,
  ToolUpdate,
  ToolEnd,
  event('bash_execution_update', { delta: Text }),
  event('queue_update', { steering: Type.Array(Text), followUp: Type.Array(Text) }),
  event('entry_appended', { entry: Type.Object({ type: Text }, { additionalProperties: true }) }),
  event('session_info_changed', {}),
  event('thinking_level_changed', { level: Text }),
  event('compaction_start', { reason: Text }),
  event('compaction_end', { aborted: Type.Boolean(), errorMessage: Type.Optional(Text) }),
  RetryStart,
  event('auto_retry_end', { success: Type.Boolean(), attempt: Count, finalError: Type.Optional(Text) }),
  event('extension_error', { event: Text, error: Text }),
  event('extension_ui_request', { id: Text, method: Text }),
] as const;

/** An event of a known type whose used fields are as they should be. */
export type PiEvent = Static<(typeof schemas)[number]>;

export const PI_SCHEMAS: ReadonlyMap<string, TObject> = new Map(
  schemas.map((schema) => [schema.properties.type.const, schema]),
);
