import { type Static, Type } from '@sinclair/typebox';

/** The model of a run as the plan states it. No URL, header or key: those stay with the gateway. */
export const PlannedModel = Type.Object(
  {
    /** What the user asked for, for example `anthropic/claude-opus-4-7` or `scripted:demo.yaml`. */
    spec: Type.String(),
    /** Provider on the host, pi-ai's name. */
    provider: Type.String(),
    id: Type.String(),
    name: Type.String(),
    /** Wire API of the provider, pi-ai's name. */
    api: Type.String(),
    reasoning: Type.Boolean(),
    input: Type.Array(Type.Union([Type.Literal('text'), Type.Literal('image')])),
    /** Tokens. */
    contextWindow: Type.Integer({ minimum: 1 }),
    /** Output tokens per call. */
    maxTokens: Type.Integer({ minimum: 1 }),
    /** List price, US dollars for a million tokens; absent when it is not known, or nothing. */
    price: Type.Optional(
      Type.Object(
        { input: Type.Number({ minimum: 0 }), output: Type.Number({ minimum: 0 }) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type PlannedModel = Static<typeof PlannedModel>;

/** Hard caps of the gateway. Crossing one ends the run with `limit_reached` and the name of the field. */
export const GatewayLimits = Type.Object(
  {
    /** Model calls in one run. */
    requests: Type.Integer({ minimum: 1 }),
    /** Model calls at the same time. */
    concurrentCalls: Type.Integer({ minimum: 1 }),
    /** Body of one call, bytes. */
    requestBytes: Type.Integer({ minimum: 1 }),
    /** Bodies of all calls, bytes. */
    totalRequestBytes: Type.Integer({ minimum: 1 }),
    /** Output tokens asked for in one call. */
    outputTokensPerCall: Type.Integer({ minimum: 1 }),
    /** Output tokens in one run. */
    outputTokens: Type.Integer({ minimum: 1 }),
    /** Money of all calls, US dollars at list price; absent when it is not counted. */
    costUsd: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    /** Time without any byte from the provider, milliseconds. */
    idleMs: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);
export type GatewayLimits = Static<typeof GatewayLimits>;
