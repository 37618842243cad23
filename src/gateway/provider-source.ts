import type { Api, AuthResult, Model, Provider } from '@earendil-works/pi-ai';
import { createModels } from '@earendil-works/pi-ai/models';
import { messageOf, SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { COMPATIBLE_APIS, compatibleProvider } from './compatible-provider.ts';
import { hostAuthContext } from './host-auth.ts';
import type { ModelSource, ResolveOptions } from './model-source.ts';
import { PiAiSource, THINKING_LEVELS } from './pi-ai-source.ts';
import { loadProvider, providerNames } from './provider-catalog.ts';

/** A real model with credentials from the environment. Throws SandboxError `model`. */
export async function providerSource(spec: string, options: ResolveOptions): Promise<ModelSource> {
  checkThinking(options.thinking);
  const origin = options.baseUrl === undefined ? undefined : originOf(options.baseUrl);
  const slash = spec.indexOf('/');
  const name = spec.slice(0, slash);
  const provider = await findProvider(name, spec.slice(slash + 1), options);
  const { model: found, thinking } = findModel(provider, spec.slice(slash + 1));
  const model = options.baseUrl === undefined ? found : { ...found, baseUrl: options.baseUrl };

  const asked = new Set<string>();
  const models = createModels({ authContext: hostAuthContext(options.env, asked) });
  models.setProvider(provider);
  const auth = await credentials(models.getAuth(model), provider, asked);
  return new PiAiSource({
    spec,
    models,
    model,
    secrets: secretsOf(auth),
    headers: Object.keys(auth.auth.headers ?? {}),
    origin: origin ?? originOf(auth.auth.baseUrl ?? model.baseUrl),
    thinking: options.thinking ?? thinking,
  });
}

async function findProvider(name: string, model: string, options: ResolveOptions): Promise<Provider> {
  const compatible = COMPATIBLE_APIS.find((api) => api === name);
  if (compatible !== undefined) {
    if (options.baseUrl === undefined) {
      throw new SandboxError('model', `"${name}" is a wire protocol, so the address of a server is needed with it.`, {
        hint: 'Give the address with --base-url, or name a provider.',
      });
    }
    return compatibleProvider(compatible, model, options.baseUrl);
  }
  const provider = await loadProvider(name);
  if (provider !== undefined) return provider;
  const names = await providerNames();
  const guess = nearest(name, names);
  throw new SandboxError('model', `There is no provider "${name}".`, {
    hint: `${guess === undefined ? '' : `Did you mean "${guess}"? `}Known providers: ${names.join(', ')}.`,
  });
}

/** Exact id first; then, as pi does, an id with a thinking level behind a colon. */
function findModel(provider: Provider, id: string): { model: Model<Api>; thinking?: string } {
  const models = provider.getModels();
  const exact = models.find((model) => model.id === id);
  if (exact !== undefined) return { model: exact };
  const colon = id.lastIndexOf(':');
  const level = id.slice(colon + 1);
  if (colon > 0 && THINKING_LEVELS.includes(level)) {
    const model = models.find((candidate) => candidate.id === id.slice(0, colon));
    if (model !== undefined) return { model, thinking: level };
  }
  const ids = models.map((model) => model.id);
  const guess = nearest(id, ids) ?? ids.find((known) => known.includes(id));
  const shown = ids.slice(0, MODELS_SHOWN).join(', ');
  const more = ids.length > MODELS_SHOWN ? ` and ${ids.length - MODELS_SHOWN} more` : '';
  throw new SandboxError('model', `Provider "${provider.id}" has no model "${id}".`, {
    hint:
      guess === undefined
        ? `Known models: ${shown}${more}. For other servers write openai-completions/MODEL with --base-url.`
        : `Did you mean "${provider.id}/${guess}"?`,
  });
}

/** Model ids in an error. */
const MODELS_SHOWN = 20;

async function credentials(
  pending: Promise<AuthResult | undefined>,
  provider: Provider,
  asked: ReadonlySet<string>,
): Promise<AuthResult> {
  let found: AuthResult | undefined;
  try {
    found = await pending;
  } catch (error) {
    throw new SandboxError('model', `The credentials for "${provider.id}" cannot be used: ${messageOf(error)}.`);
  }
  if (found !== undefined) return found;
  const names = [...asked];
  throw new SandboxError('model', `There are no credentials for provider "${provider.id}".`, {
    hint:
      names.length === 0
        ? 'This provider only has a login, which is not supported yet.'
        : `Set ${names.length === 1 ? names[0] : `one of ${names.join(', ')}`} in the environment. The key stays on the host.`,
  });
}

function secretsOf({ auth, env }: AuthResult): string[] {
  const headers = Object.values(auth.headers ?? {}).flatMap((value) => value?.split(/\s+/) ?? []);
  // Settings travel in the same map as credentials; scrubbing a region name would damage ordinary text.
  const settings = Object.entries(env ?? {}).flatMap(([key, value]) => (/KEY|TOKEN|SECRET/.test(key) ? [value] : []));
  return [
    ...(auth.apiKey === undefined ? [] : [auth.apiKey]),
    ...headers.filter((part) => part !== 'Bearer'),
    ...settings,
  ];
}

function checkThinking(level: string | undefined): void {
  if (level === undefined || THINKING_LEVELS.includes(level)) return;
  const guess = nearest(level, THINKING_LEVELS);
  throw new SandboxError('model', `There is no thinking level "${level}".`, {
    hint: guess === undefined ? `The levels are ${THINKING_LEVELS.join(', ')}.` : `Did you mean "${guess}"?`,
  });
}

function originOf(address: string): string | undefined {
  // Some providers have a template in its place, filled in from settings at each call.
  if (address === '' || address.includes('{')) return undefined;
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new SandboxError('model', `"${address}" is not an address of a model server.`, {
      hint: 'Write it in full, for example http://127.0.0.1:8080/v1.',
    });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new SandboxError('model', `A model server is reached over http or https, not "${url.protocol}".`);
  }
  // It is kept with the request of the run, where no secret may be.
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    throw new SandboxError('model', 'The address of a model server must not hold a user name, password or query.');
  }
  return url.origin;
}
