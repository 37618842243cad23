import { type Static, Type } from '@sinclair/typebox';

/** `image show --json`: the image that runs of this version use. Absent fields are not known. */
export const ImageReport = Type.Object(
  {
    v: Type.Literal(1),
    tag: Type.String(),
    id: Type.String(),
    /** Bytes. */
    size: Type.Optional(Type.Integer({ minimum: 0 })),
    /** The image that was layered upon. */
    base: Type.Optional(Type.String()),
    /** Version of pi-sandbox that built it. */
    version: Type.Optional(Type.String()),
    /** SHA-256, in hex, of everything that went into it. */
    fingerprint: Type.Optional(Type.String()),
    /** Whether runs take it. */
    fits: Type.Boolean(),
    /** Why not. */
    problem: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type ImageReport = Static<typeof ImageReport>;
