import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false } as const;

/** One thing that doctor looked at. */
export const Check = Type.Object(
  {
    /** Stable name, kebab-case. Several findings may share one. */
    id: Type.String(),
    /** `ok`, `warn` (a run can start, but you should know), `fail` (no run can start). */
    level: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('fail')]),
    /** What was found, one sentence or less. */
    found: Type.String(),
    /** What it means for a run. */
    meaning: Type.Optional(Type.String()),
    /** What to do about it. */
    advice: Type.Optional(Type.String()),
  },
  strict,
);
export type Check = Static<typeof Check>;

/** `doctor --json`. */
export const DoctorReport = Type.Object(
  { v: Type.Literal(1), canStart: Type.Boolean(), checks: Type.Array(Check) },
  strict,
);
export type DoctorReport = Static<typeof DoctorReport>;
