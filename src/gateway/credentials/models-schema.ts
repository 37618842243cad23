import { type Static, Type } from '@sinclair/typebox';

/*
 * pi's models.json as far as a run needs it. Further keys are pi's business and let through: pi takes them as well.
 */

const Headers = Type.Record(Type.String(), Type.String());
const Fields = Type.Record(Type.String(), Type.Unknown());
const Cost = Type.Object({
  /** US dollars for a million tokens. */
  input: Type.Number({ minimum: 0 }),
  output: Type.Number({ minimum: 0 }),
  cacheRead: Type.Number({ minimum: 0 }),
  cacheWrite: Type.Number({ minimum: 0 }),
});
const Tokens = Type.Integer({ minimum: 1 });
const Input = Type.Array(Type.Union([Type.Literal('text'), Type.Literal('image')]), { minItems: 1 });
const Name = Type.String({ minLength: 1 });

const common = {
  name: Type.Optional(Name),
  reasoning: Type.Optional(Type.Boolean()),
  thinkingLevelMap: Type.Optional(Fields),
  input: Type.Optional(Input),
  inputLimits: Type.Optional(Fields),
  promptCache: Type.Optional(Fields),
  contextWindow: Type.Optional(Tokens),
  maxTokens: Type.Optional(Tokens),
  samplingParams: Type.Optional(Fields),
  samplingParamsByThinkingLevel: Type.Optional(Fields),
  headers: Type.Optional(Headers),
  compat: Type.Optional(Fields),
};

export const CustomModel = Type.Object({
  ...common,
  id: Name,
  api: Type.Optional(Name),
  baseUrl: Type.Optional(Name),
  cost: Type.Optional(Cost),
});
export type CustomModel = Static<typeof CustomModel>;

export const ModelOverride = Type.Object({ ...common, cost: Type.Optional(Type.Partial(Cost)) });
export type ModelOverride = Static<typeof ModelOverride>;

export const CustomProvider = Type.Object({
  name: Type.Optional(Name),
  baseUrl: Type.Optional(Name),
  /** Literal, `$NAME` or `!command`, as the values of headers are. */
  apiKey: Type.Optional(Name),
  api: Type.Optional(Name),
  oauth: Type.Optional(Type.Literal('radius')),
  headers: Type.Optional(Headers),
  compat: Type.Optional(Fields),
  /** Whether the key is sent as `Authorization: Bearer`. */
  authHeader: Type.Optional(Type.Boolean()),
  models: Type.Optional(Type.Array(CustomModel)),
  modelOverrides: Type.Optional(Type.Record(Type.String(), ModelOverride)),
});
export type CustomProvider = Static<typeof CustomProvider>;

export const ModelsJson = Type.Object({ providers: Type.Record(Type.String(), CustomProvider) });
