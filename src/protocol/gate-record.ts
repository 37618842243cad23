import { type Static, Type } from '@sinclair/typebox';

/**
 * Records of the gate. All are observed: the host took the decision itself. `gate` is one decision; `gate.ask` a question
 * that waits for an answer; `gate.bypass` a call of which the next request of pi has a result that it cannot have.
 */
export const GateRecord = Type.Object({
  source: Type.Literal('observed'),
  type: Type.Literal('gate'),
  call: Type.String(),
  tool: Type.String(),
  verdict: Type.Union([Type.Literal('allow'), Type.Literal('deny'), Type.Literal('change')]),
  rule: Type.String(),
  reason: Type.String(),
  /** Who decided: the policy, the person or program that was asked, the guard itself, or what the gateway saw. */
  by: Type.Union([
    Type.Literal('policy'),
    Type.Literal('answer'),
    Type.Literal('no answer'),
    Type.Literal('guard'),
    Type.Literal('gateway'),
  ]),
  /** `observed`: the gateway saw this call and its arguments. `claimed`: a nested call, which only pi's process knows. */
  seen: Type.Union([Type.Literal('observed'), Type.Literal('claimed')]),
  parent: Type.Optional(Type.String()),
  /** Only of `change`. */
  arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** Rules of the policy that the call met, the deciding one first, as many as are kept; absent where it was not asked. */
  matched: Type.Optional(
    Type.Array(Type.Object({ rule: Type.String(), verdict: Type.String(), detail: Type.String() })),
  ),
  /**
   * A question that is not about the call that it names, after that was asked about: anything inside can put one. It says
   * nothing of the call, whose own record stands.
   */
  stray: Type.Optional(Type.Literal(true)),
  /** From the question of the guard to the answer, milliseconds. */
  durationMs: Type.Number(),
});
export type GateRecord = Static<typeof GateRecord>;

export const GateAskRecord = Type.Object({
  source: Type.Literal('observed'),
  type: Type.Literal('gate.ask'),
  ask: Type.Integer({ minimum: 1 }),
  call: Type.String(),
  tool: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
  rule: Type.String(),
  reason: Type.String(),
  subject: Type.String(),
  claimed: Type.Boolean(),
  timeoutMs: Type.Integer(),
});
export type GateAskRecord = Static<typeof GateAskRecord>;

export const GateBypassRecord = Type.Object({
  source: Type.Literal('observed'),
  type: Type.Literal('gate.bypass'),
  call: Type.String(),
  tool: Type.String(),
  /** `unasked`: it worked although the host was never asked. `ignored`: it worked although the host said no. */
  kind: Type.Union([Type.Literal('unasked'), Type.Literal('ignored')]),
});
export type GateBypassRecord = Static<typeof GateBypassRecord>;
