import { type Static, Type } from '@sinclair/typebox';

/** How a run ended. Decided from observed facts only. */
export const OutcomeName = Type.Union([
  Type.Literal('completed'),
  Type.Literal('agent_failed'),
  Type.Literal('limit_reached'),
  Type.Literal('policy_stopped'),
  Type.Literal('sandbox_failed'),
  Type.Literal('interrupted'),
]);
export type OutcomeName = Static<typeof OutcomeName>;

/** Process exit codes of the command line. 3 is findings, 6 a refused apply. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 130 | 143;

export const Outcome = Type.Object(
  {
    outcome: OutcomeName,
    exitCode: Type.Integer(),
    /** One sentence: what ended the run. */
    reason: Type.String(),
    /** The limit that was hit, by its plan name, when `outcome` is `limit_reached`. */
    limit: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type Outcome = Static<typeof Outcome>;
