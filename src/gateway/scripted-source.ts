import { resolve } from 'node:path';
import type { Api, Model, ProviderStreams } from '@earendil-works/pi-ai';
import { createModels, createProvider } from '@earendil-works/pi-ai/models';
import type { ModelSource } from './model-source.ts';
import { PiAiSource } from './pi-ai-source.ts';
import { readScript, type Script } from './scenario-file.ts';
import { ScenarioPlayer } from './scenario-player.ts';

const PROVIDER = 'scripted';

/** A model that plays a scenario file, `FILE` or `FILE#MODEL`. Throws SandboxError `scenario`. */
export async function scriptedSource(spec: string, target: string, cwd: string): Promise<ModelSource> {
  const hash = target.lastIndexOf('#');
  const file = hash < 0 ? target : target.slice(0, hash);
  const script = await readScript(resolve(cwd, file), file, hash < 0 ? undefined : target.slice(hash + 1));
  const player = new ScenarioPlayer(script);
  const model = modelOf(script);
  const streams: ProviderStreams = {
    stream: (asked, context, options) => player.play(asked, context.messages, options ?? {}),
    streamSimple: (asked, context, options) => player.play(asked, context.messages, options ?? {}),
  };
  const models = createModels({ authContext: { env: async () => undefined, fileExists: async () => false } });
  models.setProvider(
    createProvider({
      id: PROVIDER,
      auth: { apiKey: { name: 'none', resolve: async () => ({ auth: {}, source: 'scripted' }) } },
      models: [model],
      api: streams,
    }),
  );
  return new PiAiSource({ spec, models, model, secrets: [], failure: () => player.failure });
}

function modelOf({ model }: Script): Model<Api> {
  const id = model.id ?? PROVIDER;
  return {
    id,
    name: id,
    api: PROVIDER,
    provider: PROVIDER,
    baseUrl: '',
    reasoning: model.reasoning ?? false,
    input: model.images === true ? ['text', 'image'] : ['text'],
    cost: {
      input: model.cost?.input ?? 0,
      output: model.cost?.output ?? 0,
      cacheRead: model.cost?.cacheRead ?? 0,
      cacheWrite: model.cost?.cacheWrite ?? 0,
    },
    contextWindow: model.contextWindow ?? 128_000,
    maxTokens: model.maxTokens ?? 8192,
  };
}
