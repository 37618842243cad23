import { type Static, Type } from '@sinclair/typebox';
import { ChangeKind, Refused } from './changes.ts';

const strict = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });

/**
 * What a run hands back, in figures: the `changes` record, and `hand-back.json` of the run folder. The change set itself
 * lies in the folder `changes`.
 */
export const HandBack = Type.Object(
  {
    /** `partial`: something is missing, `reasons` say what. `failed`: there is no change set, which says nothing about changes. */
    outcome: Type.Union([Type.Literal('complete'), Type.Literal('partial'), Type.Literal('failed')]),
    reasons: Type.Array(Type.String()),
    /**
     * Changes in all, how many of them are about folders, and by kind. A folder that only came or went with something in it
     * counts as no change of its own.
     */
    changed: Count,
    folders: Count,
    counts: Type.Object(
      Object.fromEntries(ChangeKind.anyOf.map(({ const: kind }) => [kind, Type.Optional(Count)])),
      strict,
    ),
    /** Changes of at least one risk class, and how many of each class. */
    risky: Count,
    risks: Type.Record(Type.String(), Count),
    /** Entries of the sandbox that are not handed back, and the first of them. */
    refusedCount: Count,
    refused: Type.Array(Refused),
    /** New entries that the ignore rules leave out. */
    ignoredCount: Count,
    /** Of the change set. */
    digest: Type.Optional(Type.String()),
  },
  strict,
);
export type HandBack = Static<typeof HandBack>;
