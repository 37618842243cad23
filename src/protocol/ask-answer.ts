import { type Static, Type } from '@sinclair/typebox';

/** Longest note to the model, characters. */
export const MAX_NOTE_CHARS = 1_000;

/** One line on standard input of `run --json --ask stdin`: the answer to the `gate.ask` record of the same number. */
export const AskAnswer = Type.Object(
  {
    v: Type.Literal(1),
    /** Number of the question. */
    ask: Type.Integer({ minimum: 1 }),
    /** `once`: this call. `run`: also later ones of this run that the same rule asks about with the same `subject`. */
    decision: Type.Union([Type.Literal('once'), Type.Literal('run'), Type.Literal('deny')]),
    /** For the model, with `deny`; else it counts for nothing. */
    note: Type.Optional(Type.String({ maxLength: MAX_NOTE_CHARS })),
  },
  { additionalProperties: false },
);
export type AskAnswer = Static<typeof AskAnswer>;
