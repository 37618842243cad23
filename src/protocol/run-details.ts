import { type Static, Type } from '@sinclair/typebox';
import { ChangeState } from './change-state.ts';
import { GateSummary } from './gate-summary.ts';
import { HandBack } from './hand-back.ts';
import { EgressSums } from './network.ts';
import { Outcome } from './outcome.ts';
import { RunPlan } from './plan.ts';
import { PostureFile } from './posture.ts';
import { RunState } from './run-entry.ts';

const strict = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });

/** Sums over a ledger: tokens and money of all model calls as the gateway saw them. */
export const LedgerSums = Type.Object(
  {
    /** Calls that went to the provider. */
    requests: Count,
    /** Of these, calls whose end is not on record: they go on, or the controller ended first. Their usage is unknown. */
    unsettled: Count,
    /** Calls that the gateway turned away. */
    refused: Count,
    /** Tool calls by what the gate decided. */
    toolCalls: Type.Object({ allowed: Count, denied: Count }, strict),
    /** Attempts of programs inside to reach something. */
    egress: EgressSums,
    usage: Type.Object({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count }, strict),
    /** US dollars. */
    costUsd: Type.Number({ minimum: 0 }),
    /** Whether any of it is an estimate. */
    estimated: Type.Boolean(),
    /** Lines that are no ledger entry. */
    damaged: Count,
  },
  strict,
);
export type LedgerSums = Static<typeof LedgerSums>;

/** `show --json`: everything that is kept of a run, but its transcript. Absent fields were not written, or are damaged. */
export const RunDetails = Type.Object(
  {
    v: Type.Literal(1),
    run: Type.String(),
    /** Start, ISO 8601 in UTC. */
    time: Type.String(),
    state: RunState,
    /** Absolute path of the run folder. */
    folder: Type.String(),
    /** Files in it, relative, with their sizes in bytes. */
    files: Type.Array(Type.Object({ name: Type.String(), bytes: Count }, strict)),
    prompt: Type.Optional(Type.String()),
    plan: Type.Optional(RunPlan),
    posture: Type.Optional(PostureFile),
    engine: Type.Optional(Type.Object({ version: Type.String(), api: Type.String(), endpoint: Type.String() }, strict)),
    /** Paths of the repository that did not enter, counted by reason. */
    leftOut: Type.Optional(Type.Record(Type.String(), Count)),
    ledger: Type.Optional(LedgerSums),
    /** What the gate did; absent without a transcript. */
    gate: Type.Optional(GateSummary),
    outcome: Type.Optional(Outcome),
    /** What it hands back; absent while it goes on, and where it could change nothing. */
    changes: Type.Optional(HandBack),
    /** What became of the changes; absent while they wait. */
    changesState: Type.Optional(ChangeState),
    /** Files of the run that are there and could not be read, with the reason. */
    damaged: Type.Array(Type.String()),
  },
  strict,
);
export type RunDetails = Static<typeof RunDetails>;
