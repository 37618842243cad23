import { type Static, Type } from '@sinclair/typebox';
import { GateBypassRecord, GateRecord } from './gate-record.ts';
import { Source } from './record.ts';

const strict = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });

/** What the gate of a run did, by the records of its transcript. */
export const GateSummary = Type.Object(
  {
    /** Decisions about tool calls. */
    calls: Type.Object({ allowed: Count, changed: Count, denied: Count }, strict),
    /** Of these, about calls that only the process of pi has seen. */
    claimed: Count,
    /** What denied calls, most often first; `rules` counts those that are not listed as well. */
    stopped: Type.Array(Type.Object({ rule: Type.String(), by: GateRecord.properties.by, calls: Count }, strict)),
    rules: Count,
    /**
     * Calls that were turned away or failed, the first ones; `refusals` counts all. `number` is the one in the transcript; a
     * `stage` such as `unknown tool, as pi says` or `policy rule git-push` is in the words of the transcript.
     */
    refused: Type.Array(
      Type.Object(
        {
          number: Type.Optional(Type.Integer({ minimum: 1 })),
          call: Type.String(),
          tool: Type.String(),
          stage: Type.String(),
          source: Source,
        },
        strict,
      ),
    ),
    refusals: Count,
    /** Questions in their order, the first ones; `asked` counts all. */
    questions: Type.Array(
      Type.Object(
        {
          ask: Type.Integer({ minimum: 1 }),
          call: Type.String(),
          tool: Type.String(),
          rule: Type.String(),
          subject: Type.String(),
          answer: Type.Union([Type.Literal('allowed'), Type.Literal('denied'), Type.Literal('none')]),
        },
        strict,
      ),
    ),
    asked: Count,
    /** Calls that were carried out past the gate, the first ones; `bypassed` counts all. */
    bypasses: Type.Array(
      Type.Object({ call: Type.String(), tool: Type.String(), kind: GateBypassRecord.properties.kind }, strict),
    ),
    bypassed: Count,
    /** What the guard is worth in this run, in a sentence or two. */
    worth: Type.String(),
  },
  strict,
);
export type GateSummary = Static<typeof GateSummary>;
