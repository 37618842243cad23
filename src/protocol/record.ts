import { type Static, Type } from '@sinclair/typebox';

/** Version of the record format on `--json` and in `events.jsonl`. */
export const RECORD_VERSION = 1;

/**
 * Who vouches for a record. `observed`: the host saw it (engine, gateway, limits). `claimed`: pi said it, and
 * anything running as pi's user could have said it in pi's name.
 */
export const Source = Type.Union([Type.Literal('observed'), Type.Literal('claimed')]);
export type Source = Static<typeof Source>;

/**
 * One line of the record stream. `seq` counts from 1 without gaps, `time` is ISO 8601 in UTC, `run` is the run id.
 * Claimed records have type `pi` and carry pi's own event under `event`, unchanged
 * but for secrets that were taken out.
 */
export const SandboxRecord = Type.Object(
  {
    v: Type.Literal(RECORD_VERSION),
    seq: Type.Integer({ minimum: 1 }),
    time: Type.String(),
    run: Type.String(),
    source: Source,
    type: Type.String(),
  },
  { additionalProperties: true },
);
export type SandboxRecord = Static<typeof SandboxRecord> & Readonly<Record<string, unknown>>;

/** What a stage hands over to be recorded; the transcript adds version, sequence, time and run. */
export type NewRecord = { readonly source: Source; readonly type: string } & Readonly<Record<string, unknown>>;
