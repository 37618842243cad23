import { type Static, Type } from '@sinclair/typebox';

/**
 * The control socket of a run: one JSON line from the client, one JSON line back, then, for `output`, the bytes in
 * pieces: four bytes of length, big endian, and the piece; length zero says that it was all, so that a connection that
 * broke cannot pass for an end. A connection that is accepted means that the controller lives.
 */
export const ControlRequest = Type.Union([
  Type.Object({ op: Type.Literal('stop') }, { additionalProperties: false }),
  Type.Object({ op: Type.Literal('output'), call: Type.String({ maxLength: 256 }) }, { additionalProperties: false }),
]);
export type ControlRequest = Static<typeof ControlRequest>;

export const ControlAnswer = Type.Object(
  { ok: Type.Boolean(), error: Type.Optional(Type.String()) },
  { additionalProperties: false },
);
export type ControlAnswer = Static<typeof ControlAnswer>;

/** Longest line in either direction, bytes. */
export const MAX_CONTROL_LINE = 4 * 1024;
