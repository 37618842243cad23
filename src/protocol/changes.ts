import { type Static, Type } from '@sinclair/typebox';

export const CHANGE_SET_VERSION = 1;

/** What is at a path. Only the executable bit of a mode is carried: the rest belongs to whoever owns the tree. */
export const FileState = Type.Union([
  Type.Object(
    {
      type: Type.Literal('file'),
      executable: Type.Boolean(),
      /** Bytes. */
      size: Type.Integer({ minimum: 0 }),
      /** Lower-case hex SHA-256; also the name of the content among the change set's blobs. */
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    },
    { additionalProperties: false },
  ),
  /** `target`: bytes, escaped as paths are (`showPath`). */
  Type.Object({ type: Type.Literal('symlink'), target: Type.String() }, { additionalProperties: false }),
  Type.Object({ type: Type.Literal('dir') }, { additionalProperties: false }),
]);
export type FileState = Static<typeof FileState>;

/** `mode`: the executable bit and nothing else. `type`: a file became a link, a folder a file, ... */
export const ChangeKind = Type.Union([
  Type.Literal('add'),
  Type.Literal('modify'),
  Type.Literal('delete'),
  Type.Literal('mode'),
  Type.Literal('type'),
]);
export type ChangeKind = Static<typeof ChangeKind>;

/** Ways in which a change may later run code on the host, or hide what it does. Reasons are in docs/risks.md. */
export const RISK_CLASSES = [
  'hooks',
  'ci',
  'package-script',
  'lockfile-source',
  'editor-task',
  'shell-start-up',
  'agent-config',
  'build-script',
  'binary',
  'executable-bit',
  'symlink',
  'submodule',
  'hidden-unicode',
  'gitattributes',
] as const;
export const RiskClass = Type.Union(RISK_CLASSES.map((name) => Type.Literal(name)));
export type RiskClass = (typeof RISK_CLASSES)[number];

export const Risk = Type.Object(
  {
    class: RiskClass,
    /** What was found, one short phrase: `scripts.postinstall`, `U+202E in line 12`. */
    what: Type.String(),
    /** Lines of the new content, counted from 1, both ends included; absent where it is about the whole file. */
    lines: Type.Optional(Type.Tuple([Type.Integer({ minimum: 1 }), Type.Integer({ minimum: 1 })])),
  },
  { additionalProperties: false },
);
export type Risk = Static<typeof Risk>;

export const Change = Type.Object(
  {
    /** Relative to the root: UTF-8 text, every other byte, control and format character and backslash as `\xNN`. */
    path: Type.String({ minLength: 1 }),
    kind: ChangeKind,
    /** As it was sent in. Absent for `add`. */
    before: Type.Optional(FileState),
    /** As it came out. Absent for `delete`. */
    after: Type.Optional(FileState),
    /** A guess, of an added file: this deleted path had the same content. */
    renamedFrom: Type.Optional(Type.String()),
    risks: Type.Array(Risk),
  },
  { additionalProperties: false },
);
export type Change = Static<typeof Change>;

/** Something in the sandbox that is not handed back, and why. */
export const Refused = Type.Object(
  {
    path: Type.String(),
    reason: Type.Union([
      Type.Literal('device'),
      Type.Literal('fifo'),
      Type.Literal('socket'),
      Type.Literal('hardlink'),
      Type.Literal('special-bits'),
      Type.Literal('git-metadata'),
      Type.Literal('outside'),
      Type.Literal('bad-path'),
      Type.Literal('name-collision'),
      Type.Literal('duplicate'),
      Type.Literal('below-link'),
      Type.Literal('sparse'),
      Type.Literal('unknown-type'),
      Type.Literal('too-large'),
      Type.Literal('too-many'),
      Type.Literal('unreadable'),
    ]),
    /** One sentence for a person. */
    detail: Type.String(),
  },
  { additionalProperties: false },
);
export type Refused = Static<typeof Refused>;

/**
 * All that an agent changed: start state against final files. `changes.json` in the run folder; contents lie beside it
 * in `blobs/`, named after their SHA-256.
 */
export const ChangeSet = Type.Object(
  {
    v: Type.Literal(CHANGE_SET_VERSION),
    run: Type.String(),
    /** Real path of the repository on the host. */
    root: Type.String(),
    /** `partial`: a limit was hit or the archive was cut; `reasons` say which. Never shown or applied as whole. */
    outcome: Type.Union([Type.Literal('complete'), Type.Literal('partial')]),
    reasons: Type.Array(Type.String()),
    /** Sorted by the bytes of the path. */
    changes: Type.Array(Change),
    /** At most MAX_REFUSED_LISTED of them; `refusedCount` counts all. */
    refused: Type.Array(Refused),
    refusedCount: Type.Integer({ minimum: 0 }),
    /** New things that the ignore rules of the host leave out, a folder with `/` at its end for all in it; listed as `refused` is. */
    ignored: Type.Array(Type.String()),
    ignoredCount: Type.Integer({ minimum: 0 }),
    /** SHA-256 over the canonical form of everything above: what was reviewed is what is applied. */
    digest: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  { additionalProperties: false },
);
export type ChangeSet = Static<typeof ChangeSet>;
