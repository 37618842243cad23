import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { MiB } from '../lib/bytes.ts';

/*
 * What pi 1.6.0 sends with `POST /messages`. Objects are open here: unknown fields are not an error, they are left
 * behind when the conversation is copied.
 */

/** Longest name, id or signature-free label in a request, characters. */
const MAX_NAME = 1024;
/** Longest base64 image, characters. pi scales images to 2000 x 2000 before it sends them. */
const MAX_IMAGE = 16 * MiB;
/** Tokens that a message may claim; larger numbers would make later sums inexact. */
const MAX_TOKENS = 1_000_000_000;

const Name = Type.String({ maxLength: MAX_NAME });
const Tokens = Type.Integer({ minimum: 0, maximum: MAX_TOKENS });
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Text = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  textSignature: Type.Optional(Type.String()),
});
const Image = Type.Object({
  type: Type.Literal('image'),
  data: Type.String({ maxLength: MAX_IMAGE, pattern: '^[A-Za-z0-9+/]*={0,2}$' }),
  mimeType: Type.Union(['image/png', 'image/jpeg', 'image/gif', 'image/webp'].map((mime) => Type.Literal(mime))),
});
const Thinking = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  thinkingSignature: Type.Optional(Type.String()),
  redacted: Type.Optional(Type.Boolean()),
});
const JsonObject = Type.Record(Type.String(), Type.Unknown());
const ToolCall = Type.Object({
  type: Type.Literal('toolCall'),
  id: Name,
  name: Name,
  arguments: JsonObject,
  thoughtSignature: Type.Optional(Type.String()),
  namespace: Type.Optional(Name),
  argumentsError: Type.Optional(Type.String()),
});

const Sampling = Type.Union([
  Type.Literal(false),
  Type.Object({
    type: Type.Literal('json_schema'),
    strict: Type.Union([Type.Literal('prefer'), Type.Literal('require')]),
  }),
  Type.Object({
    type: Type.Literal('grammar'),
    variants: Type.Object({
      openai_lark: Type.Optional(Type.String()),
      openai_regex: Type.Optional(Type.String()),
    }),
  }),
]);
export const ToolDeclaration = Type.Object({
  name: Name,
  description: Type.String(),
  parameters: JsonObject,
  constrainedSampling: Type.Optional(Sampling),
});

const SystemMessage = Type.Object({
  role: Type.Literal('system'),
  content: Type.Union([Type.String(), Type.Array(Text)]),
  sections: Type.Optional(Type.Record(Type.String(), Nullable(Type.String()))),
  toolsAdded: Type.Optional(Type.Array(ToolDeclaration)),
  toolsRemoved: Type.Optional(Type.Array(Type.Object({ name: Name }))),
  timestamp: Type.Number(),
});
const UserMessage = Type.Object({
  role: Type.Literal('user'),
  content: Type.Union([Type.String(), Type.Array(Type.Union([Text, Image]))]),
  timestamp: Type.Number(),
});
const AssistantMessage = Type.Object({
  role: Type.Literal('assistant'),
  content: Type.Array(Type.Union([Text, Thinking, ToolCall])),
  api: Name,
  provider: Name,
  model: Name,
  providerThinkingLevel: Type.Optional(Name),
  usage: Type.Object({ input: Tokens, output: Tokens, cacheRead: Tokens, cacheWrite: Tokens, totalTokens: Tokens }),
  stopReason: Type.Union(
    (['pending', 'stop', 'length', 'toolUse', 'error', 'aborted', 'deferred'] as const).map((r) => Type.Literal(r)),
  ),
  timestamp: Type.Number(),
});
const ToolResultMessage = Type.Object({
  role: Type.Literal('toolResult'),
  toolCallId: Name,
  toolName: Name,
  content: Type.Array(Type.Union([Text, Image])),
  isError: Type.Boolean(),
  timestamp: Type.Number(),
});

export const MessagesRequest = Type.Object({
  model: Name,
  context: Type.Object({
    messages: Type.Array(Type.Union([SystemMessage, UserMessage, AssistantMessage, ToolResultMessage])),
  }),
  options: Type.Optional(
    Type.Object({
      temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2 }))),
      maxTokens: Type.Optional(Nullable(Type.Number({ minimum: 1 }))),
      reasoning: Type.Optional(
        Nullable(
          Type.Union(
            (['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const).map((level) => Type.Literal(level)),
          ),
        ),
      ),
      toolChoice: Type.Optional(Nullable(Type.Union([Type.Literal('auto'), Type.Literal('none')]))),
      cacheRetention: Type.Optional(
        Nullable(Type.Union([Type.Literal('none'), Type.Literal('short'), Type.Literal('long')])),
      ),
    }),
  ),
});
export type MessagesRequest = Static<typeof MessagesRequest>;
export type RequestMessage = MessagesRequest['context']['messages'][number];
export type RequestTool = Static<typeof ToolDeclaration>;
