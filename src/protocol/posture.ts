import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false } as const;

const Finding = Type.Object(
  {
    /** What `--accept-weaker` takes. */
    field: Type.String(),
    expected: Type.String(),
    actual: Type.String(),
    seen: Type.String(),
  },
  strict,
);

/** `posture.json`: what was seen of the started container, before anything untrusted entered. */
export const PostureFile = Type.Object(
  {
    /** `host`: the processes were looked at from outside. `probe`: they were read from inside. */
    evidence: Type.Union([Type.Literal('host'), Type.Literal('probe')]),
    /** Differences from the plan; the run was not started when there are any. */
    findings: Type.Array(Finding),
    /** Differences that the user accepted by name. */
    accepted: Type.Array(Finding),
    /** Facts in words that are no fault. */
    notes: Type.Array(Type.String()),
  },
  strict,
);
export type PostureFile = Static<typeof PostureFile>;
