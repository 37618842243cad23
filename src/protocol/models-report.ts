import { type Static, Type } from '@sinclair/typebox';

/** How a key is written down. The value itself is never part of a report. */
const KeyForm = Type.Union([Type.Literal('literal'), Type.Literal('variable'), Type.Literal('command')]);

/** Where the credential of a provider comes from. */
export const CredentialSource = Type.Union([
  /** Variables of the environment. */
  Type.Object({ kind: Type.Literal('environment'), name: Type.String() }, { additionalProperties: false }),
  /** A login made with pi. One that has expired is renewed when it is used. */
  Type.Object(
    {
      kind: Type.Literal('login'),
      file: Type.String(),
      /** ISO 8601 in UTC; absent where it says none that can be read. */
      expires: Type.Optional(Type.String()),
      expired: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
  /** A key in auth.json or models.json. `name`: the variable that it stands in. */
  Type.Object(
    { kind: Type.Literal('key'), file: Type.String(), form: KeyForm, name: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
  /** A server of this machine. */
  Type.Object({ kind: Type.Literal('none-needed') }, { additionalProperties: false }),
  /** Something of the provider's own, such as a profile of a cloud. */
  Type.Object({ kind: Type.Literal('other'), name: Type.String() }, { additionalProperties: false }),
]);
export type CredentialSource = Static<typeof CredentialSource>;

export const ListedModel = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    reasoning: Type.Boolean(),
    images: Type.Boolean(),
    /** Tokens. */
    contextWindow: Type.Number(),
    /** Output tokens per call. */
    maxTokens: Type.Number(),
    /** US dollars for a million tokens; absent when no price is known. */
    price: Type.Optional(Type.Object({ input: Type.Number(), output: Type.Number() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);
export type ListedModel = Static<typeof ListedModel>;

export const ListedProvider = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    /** Whether models.json has a part in it. */
    custom: Type.Boolean(),
    /** Absent where there is none: no model of it would work. */
    credential: Type.Optional(CredentialSource),
    /** How to get one. */
    hint: Type.Optional(Type.String()),
    /** Why it cannot be used although it has one. */
    problem: Type.Optional(Type.String()),
    models: Type.Array(ListedModel),
  },
  { additionalProperties: false },
);
export type ListedProvider = Static<typeof ListedProvider>;

/** `models --json`: which models would work, and where each credential comes from. */
export const ModelsReport = Type.Object(
  {
    v: Type.Literal(1),
    /** Folder with pi's auth.json and models.json. */
    piFolder: Type.String(),
    providers: Type.Array(ListedProvider),
  },
  { additionalProperties: false },
);
export type ModelsReport = Static<typeof ModelsReport>;
