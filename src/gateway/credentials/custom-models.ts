import type { Api, Model } from '@earendil-works/pi-ai';
import type { CustomModel, CustomProvider, ModelOverride } from './models-schema.ts';

/** What pi assumes of a model about which nothing is said. */
const CONTEXT_WINDOW = 128_000;
const MAX_TOKENS = 16_384;
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** Parts of `compat` that are merged key by key. */
const NESTED = ['openRouterRouting', 'vercelGatewayRouting', 'chatTemplateKwargs', 'chatTemplateArgs'];

/**
 * The models of a provider with what models.json says about it, as pi puts them together: address and compatibility of known
 * ones, own ones in place of those with the same id, overrides last. Throws an Error in our words.
 */
export function customModels(provider: string, known: readonly Model<Api>[], config: CustomProvider): Model<Api>[] {
  const models = known.map((model) => ({
    ...model,
    baseUrl: config.baseUrl ?? model.baseUrl,
    ...compatOf(model.compat, config.compat),
  }));
  for (const definition of config.models ?? []) {
    const made = modelOf(provider, definition, config, models);
    const at = models.findIndex(({ id }) => id === definition.id);
    if (at < 0) models.push(made);
    else models[at] = made;
  }
  return models.map((model) => overridden(model, config.modelOverrides?.[model.id]));
}

function modelOf(
  provider: string,
  definition: CustomModel,
  config: CustomProvider,
  known: readonly Model<Api>[],
): Model<Api> {
  const wanted = definition.api ?? config.api;
  const like =
    known.find(({ id }) => id === definition.id) ??
    known.find(({ api }) => api === wanted) ??
    known.find(({ api }) => api === 'openai-completions') ??
    known[0];
  const api = wanted ?? like?.api;
  const baseUrl = definition.baseUrl ?? config.baseUrl ?? like?.baseUrl;
  if (api === undefined) throw new Error(`the model "${definition.id}" has no "api", and neither has the provider`);
  if (baseUrl === undefined) throw new Error('"baseUrl" is missing');
  const { headers: _resolvedLater, compat, ...said } = definition;
  return {
    ...said,
    name: said.name ?? said.id,
    api,
    provider,
    baseUrl,
    reasoning: said.reasoning ?? false,
    input: said.input ?? ['text'],
    cost: said.cost ?? NO_COST,
    contextWindow: said.contextWindow ?? CONTEXT_WINDOW,
    maxTokens: said.maxTokens ?? MAX_TOKENS,
    ...compatOf(config.compat, compat),
  };
}

function overridden(model: Model<Api>, override: ModelOverride | undefined): Model<Api> {
  if (override === undefined) return model;
  const { headers: _resolvedLater, compat, cost, thinkingLevelMap, samplingParams, ...plain } = override;
  const merged = <T extends object>(own: T | undefined, changed: object | undefined): T | undefined =>
    changed === undefined ? own : ({ ...own, ...changed } as T);
  return {
    ...model,
    ...(plain as Partial<Model<Api>>),
    cost: { ...model.cost, ...cost },
    ...compatOf(model.compat, compat),
    ...given('thinkingLevelMap', merged(model.thinkingLevelMap, thinkingLevelMap)),
    ...given('samplingParams', merged(model.samplingParams, samplingParams)),
  };
}

function given<K extends string, T>(key: K, value: T | undefined): { [name in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [name in K]: T });
}

/** pi-ai reads these fields itself, whatever is in them. */
function compatOf(own: object | undefined, changed: object | undefined): Pick<Model<Api>, 'compat'> {
  if (own === undefined && changed === undefined) return {};
  const merged: Record<string, unknown> = { ...own, ...changed };
  for (const key of NESTED) {
    const [before, after] = [own, changed].map((part) => (part as Record<string, unknown> | undefined)?.[key]);
    if (isObject(before) && isObject(after)) merged[key] = { ...before, ...after };
  }
  return { compat: merged as NonNullable<Model<Api>['compat']> };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
