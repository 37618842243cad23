import type { Api, Model, Provider, ProviderStreams } from '@earendil-works/pi-ai';
import { lazyStream } from '@earendil-works/pi-ai/api/lazy';
import { messageOf, SandboxError } from '../../errors.ts';
import { nearest } from '../../lib/nearest.ts';
import { apiStreams, CUSTOM_APIS } from './api-streams.ts';
import { customModels } from './custom-models.ts';
import type { CustomProviders } from './models-json.ts';
import type { UserCredentials } from './user-credentials.ts';

/**
 * The provider of this id as models.json has it, alone or upon a known one. Throws SandboxError `model` with the place in the
 * file for one that cannot work.
 */
export function customProvider(
  id: string,
  base: Provider | undefined,
  custom: CustomProviders,
  credentials: UserCredentials,
): Provider {
  const config = custom.get(id) ?? {};
  const fail = (why: string, hint?: string): SandboxError =>
    new SandboxError(
      'model',
      `The provider "${id}" cannot be used: ${why} (${custom.place(id)}).`,
      hint === undefined ? {} : { hint },
    );
  if (config.oauth !== undefined) throw fail(`logins of the kind "${config.oauth}" are not supported in this file`);
  let models: Model<Api>[];
  try {
    models = customModels(id, base?.getModels() ?? [], config);
  } catch (error) {
    throw fail(messageOf(error));
  }
  const known = new Set(base?.getModels().map(({ api }) => api));
  for (const { api } of models) {
    if (known.has(api) || CUSTOM_APIS.includes(api)) continue;
    const guess = nearest(api, CUSTOM_APIS);
    throw fail(
      `there is no wire protocol "${api}"`,
      guess === undefined ? `Known protocols: ${CUSTOM_APIS.join(', ')}.` : `Did you mean "${guess}"?`,
    );
  }
  return {
    ...base,
    id,
    name: config.name ?? base?.name ?? id,
    auth: credentials.authOf(config, base),
    getModels: () => models,
    ...streamsOf(base, known),
  };
}

/** The known provider where it speaks the model's protocol, else the protocol's own client. */
function streamsOf(base: Provider | undefined, known: ReadonlySet<string>): Pick<Provider, 'stream' | 'streamSimple'> {
  const client = async (model: Model<Api>): Promise<ProviderStreams> =>
    base !== undefined && known.has(model.api) ? base : await apiStreams(model.api);
  return {
    stream: (model, context, options) =>
      lazyStream(model, async () => (await client(model)).stream(model, context, options), undefined, options?.signal),
    streamSimple: (model, context, options) =>
      lazyStream(
        model,
        async () => (await client(model)).streamSimple(model, context, options),
        undefined,
        options?.signal,
      ),
  };
}
