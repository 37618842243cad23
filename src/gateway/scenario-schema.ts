import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false } as const;
const Tokens = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
const Dollars = Type.Number({ minimum: 0 });
const Words = Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })]);

const ScenarioModel = Type.Object(
  {
    id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/:-]*$', description: 'Name of the model.' })),
    contextWindow: Type.Optional(Type.Integer({ minimum: 1024, description: 'Tokens.' })),
    maxTokens: Type.Optional(Type.Integer({ minimum: 1, description: 'Output tokens of one call.' })),
    reasoning: Type.Optional(Type.Boolean({ description: 'Whether the model can think.' })),
    images: Type.Optional(Type.Boolean({ description: 'Whether the model takes images.' })),
    cost: Type.Optional(
      Type.Object(
        { input: Dollars, output: Dollars, cacheRead: Type.Optional(Dollars), cacheWrite: Type.Optional(Dollars) },
        { ...strict, description: 'US dollars per million tokens.' },
      ),
    ),
  },
  strict,
);
export type ScenarioModel = Static<typeof ScenarioModel>;

const ScenarioTool = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    arguments: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Nothing is checked here: pi does that.' }),
    ),
    id: Type.Optional(Type.String({ minLength: 1, description: 'Id of the call; made up from the turn when absent.' })),
  },
  strict,
);

const Delay = Type.Union([Type.String({ pattern: '^\\d+(\\.\\d+)?(ms|s|m)$' }), Type.Integer({ minimum: 0 })]);

export const ScenarioTurn = Type.Object(
  {
    expect: Type.Optional(Words),
    expectNot: Type.Optional(Words),
    thinking: Type.Optional(Type.String()),
    thinkingSignature: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    tools: Type.Optional(Type.Array(ScenarioTool, { minItems: 1 })),
    delay: Type.Optional(Delay),
    tokensPerSecond: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    usage: Type.Optional(
      Type.Object(
        {
          input: Type.Optional(Tokens),
          output: Type.Optional(Tokens),
          cacheRead: Type.Optional(Tokens),
          cacheWrite: Type.Optional(Tokens),
        },
        strict,
      ),
    ),
    error: Type.Optional(
      Type.Object(
        { status: Type.Integer({ minimum: 400, maximum: 599 }), message: Type.Optional(Type.String()) },
        {
          ...strict,
          description: 'The provider answers with this error instead. The next turn answers what comes then.',
        },
      ),
    ),
    cut: Type.Optional(Type.Literal(true, { description: 'The connection breaks after the text.' })),
  },
  strict,
);
export type ScenarioTurn = Static<typeof ScenarioTurn>;

const Turns = Type.Array(ScenarioTurn, { minItems: 1, description: 'What the model says, one turn for each call.' });

/** A scenario file: what a scripted model says, and what it expects to hear. */
export const Scenario = Type.Object(
  {
    model: Type.Optional(ScenarioModel),
    turns: Type.Optional(Turns),
    models: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' }),
        Type.Object({ model: Type.Optional(ScenarioModel), turns: Turns }, strict),
        { ...strict, description: 'More models, chosen with scripted:FILE#NAME.' },
      ),
    ),
  },
  { ...strict, title: 'pi-sandbox scenario' },
);
export type Scenario = Static<typeof Scenario>;
