import { type Static, Type } from '@sinclair/typebox';
import { EgressEndEntry, EgressEntry } from './network.ts';

const Tokens = Type.Integer({ minimum: 0 });

/** Tokens and money of one model call as the provider reported them; money in US dollars. */
export const LedgerUsage = Type.Object(
  {
    input: Tokens,
    output: Tokens,
    cacheRead: Tokens,
    cacheWrite: Tokens,
    costUsd: Type.Number({ minimum: 0 }),
    /** The provider did not report the tokens; they were estimated from sizes. */
    estimated: Type.Optional(Type.Literal(true)),
  },
  { additionalProperties: false },
);
export type LedgerUsage = Static<typeof LedgerUsage>;

/**
 * One line of `ledger.jsonl`. `open` is written before a call goes to the provider, `close` before the last byte of
 * its answer goes to the container, `refused` before a refusal does, `gate` before the answer about a tool call does,
 * `egress` before an attempt to reach something is answered and `egress_end` after it. Sizes and hashes only, never content.
 */
export const LedgerEntry = Type.Union([
  Type.Object(
    {
      v: Type.Literal(1),
      entry: Type.Literal('open'),
      time: Type.String(),
      run: Type.String(),
      /** Counts calls from 1. */
      call: Type.Integer({ minimum: 1 }),
      provider: Type.String(),
      model: Type.String(),
      requestBytes: Type.Integer({ minimum: 0 }),
      requestSha256: Type.String(),
      messages: Type.Integer({ minimum: 0 }),
      /** Output tokens that it may ask for. */
      maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1 })),
      /** Set aside for it, US dollars; where money is counted. */
      reservedUsd: Type.Optional(Type.Number({ minimum: 0 })),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      v: Type.Literal(1),
      entry: Type.Literal('close'),
      time: Type.String(),
      run: Type.String(),
      call: Type.Integer({ minimum: 1 }),
      stopReason: Type.String(),
      usage: LedgerUsage,
      durationMs: Type.Integer({ minimum: 0 }),
      toolCalls: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }, { additionalProperties: false })),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      v: Type.Literal(1),
      entry: Type.Literal('refused'),
      time: Type.String(),
      run: Type.String(),
      /** Stable reason code. */
      code: Type.String(),
      status: Type.Integer(),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      v: Type.Literal(1),
      entry: Type.Literal('gate'),
      time: Type.String(),
      run: Type.String(),
      /** pi's id of the tool call, and its tool; from the container, cut. */
      toolCall: Type.String(),
      tool: Type.String(),
      verdict: Type.Union([Type.Literal('allow'), Type.Literal('deny'), Type.Literal('change')]),
      rule: Type.String(),
    },
    { additionalProperties: false },
  ),
  EgressEntry,
  EgressEndEntry,
]);
export type LedgerEntry = Static<typeof LedgerEntry>;
