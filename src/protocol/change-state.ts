import { type Static, Type } from '@sinclair/typebox';

/** What became of a run's change set; absent while it waits. `changes-state.json` in the run folder. */
export const ChangeState = Type.Object(
  {
    v: Type.Literal(1),
    /** `applied`: the set is kept. `discarded`: it is gone. */
    state: Type.Union([Type.Literal('applied'), Type.Literal('discarded')]),
    /** ISO 8601 in UTC. */
    time: Type.String(),
    /** Digest of the whole change set. */
    digest: Type.String(),
    /** Real path of the folder that was written to, or of the repository with the branch. */
    target: Type.Optional(Type.String()),
    /** Name of the branch, where the changes were committed onto one. */
    branch: Type.Optional(Type.String()),
    /** Changes that were applied, of so many in the set, counted as in `hand-back.json`. */
    changes: Type.Optional(Type.Integer({ minimum: 0 })),
    of: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
);
export type ChangeState = Static<typeof ChangeState>;
