import { type Static, Type } from '@sinclair/typebox';
import { ChangeState } from './change-state.ts';
import { HandBack } from './hand-back.ts';
import { Outcome, OutcomeName } from './outcome.ts';

/** How a run stands. `lost`: its controller is gone and left no outcome. */
export const RunState = Type.Union([Type.Literal('running'), Type.Literal('lost'), OutcomeName]);
export type RunState = Static<typeof RunState>;

/** One line of `ls --json`: a run as far as its folder tells. */
export const RunEntry = Type.Object(
  {
    v: Type.Literal(1),
    run: Type.String(),
    /** Start, ISO 8601 in UTC. */
    time: Type.String(),
    state: RunState,
    /** Absolute path of the run folder. */
    folder: Type.String(),
    /** Real path of the repository. This and what follows is absent when it was not written, or is damaged. */
    repo: Type.Optional(Type.String()),
    profile: Type.Optional(Type.String()),
    /** What was asked for: `provider/id` or `scripted:FILE`. */
    model: Type.Optional(Type.String()),
    outcome: Type.Optional(Outcome),
    /** What it hands back; absent while it goes on, and where it could change nothing. */
    changes: Type.Optional(HandBack),
    /** What became of the changes; absent while they wait. */
    changesState: Type.Optional(ChangeState),
  },
  { additionalProperties: false },
);
export type RunEntry = Static<typeof RunEntry>;
