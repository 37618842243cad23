import { type Static, Type } from '@sinclair/typebox';
import { ChangeSet } from './changes.ts';

/** A change that a patch cannot hold. */
export const NotInPatch = Type.Object(
  {
    path: Type.String(),
    /**
     * `empty-folder`: git has none. `content-missing`: the content at the start, or the end, is not at hand any more.
     * `too-large`: git would need more memory than a patch is worth.
     */
    why: Type.Union([Type.Literal('empty-folder'), Type.Literal('content-missing'), Type.Literal('too-large')]),
  },
  { additionalProperties: false },
);
export type NotInPatch = Static<typeof NotInPatch>;

/** What `diff --json` prints: a change set, and its patch. */
export const ChangeSetView = Type.Object(
  {
    ...ChangeSet.properties,
    /** The paths that were asked for; `changes` holds what is at or below them, `digest` is that of the whole set. */
    paths: Type.Optional(Type.Array(Type.String())),
    /** Changes that are not in the patch. */
    notInPatch: Type.Array(NotInPatch),
    /** Why there is no patch. */
    patchProblem: Type.Optional(Type.String()),
    /** For `git apply` at the root, base64 of its bytes; null when it could not be made. */
    patch: Type.Union([Type.String({ contentEncoding: 'base64' }), Type.Null()]),
  },
  { additionalProperties: false },
);
export type ChangeSetView = Static<typeof ChangeSetView>;
