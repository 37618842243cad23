import { join } from 'node:path';
import { createModels } from '@earendil-works/pi-ai/models';
import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { AuthTrouble } from './credentials/auth-trouble.ts';
import { loadModelsJson } from './credentials/models-json.ts';
import { renewing } from './credentials/renewing.ts';
import { secretHeaders } from './credentials/secret-headers.ts';
import { secretSettings } from './credentials/stored-credential.ts';
import { UserCredentials } from './credentials/user-credentials.ts';
import { findModel } from './find-model.ts';
import { findProvider } from './find-provider.ts';
import { hostAuthContext } from './host-auth.ts';
import type { ModelSource, ResolveOptions } from './model-source.ts';
import { PiAiSource, THINKING_LEVELS } from './pi-ai-source.ts';
import { ProviderAuth } from './provider-auth.ts';
import { Scrubber } from './scrub.ts';
import { extraCertificates } from './upstream/certificates.ts';
import { proxyFor } from './upstream/proxy.ts';
import type { UpstreamWay } from './upstream-fetch.ts';

/**
 * A real model with the user's credentials. Nothing is contacted: a login that has expired is renewed by `renew`, or by the first
 * call. Throws SandboxError `model`.
 */
export async function providerSource(spec: string, options: ResolveOptions): Promise<ModelSource> {
  checkThinking(options.thinking);
  const { baseUrl, env, piFolder } = options;
  const origin = baseUrl === undefined ? undefined : originOf(baseUrl);
  const slash = spec.indexOf('/');
  const [name, id] = [spec.slice(0, slash), spec.slice(slash + 1)];
  const scrubber = new Scrubber([]);
  const credentials = new UserCredentials(options, (secrets) => scrubber.add(secrets));
  const custom =
    piFolder === undefined ? undefined : await loadModelsJson(join(piFolder, 'models.json'), options.checkFile);
  const found = await findProvider({ name, model: id, baseUrl, custom, credentials });
  const { model: known, thinking } = findModel(found, id);
  const headers = await credentials.modelHeaders(custom?.get(name), known.id);
  const model = {
    ...known,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(headers === undefined ? {} : { headers: { ...known.headers, ...headers } }),
  };

  const way = await wayOf(env, baseUrl ?? model.baseUrl);
  const trouble = new AuthTrouble();
  const { tokenFetch } = options;
  const provider = renewing(found, { way, trouble, tokenFetch, addressGiven: baseUrl !== undefined });
  const asked = new Set<string>();
  const { store } = credentials;
  const models = createModels({
    authContext: hostAuthContext(env, asked),
    ...(store === undefined ? {} : { credentials: store }),
  });
  models.setProvider(provider);
  const auth = new ProviderAuth({ models, model, provider, store, asked });
  const now = await auth.now();
  const reached = origin ?? originOf(now.auth.baseUrl ?? model.baseUrl);
  // A proxy that cannot be used is known before the run.
  if (reached !== undefined) way.proxyFor(new URL(reached));
  return new PiAiSource({
    spec,
    models,
    model,
    scrubber,
    secrets: [
      ...(now.auth.apiKey === undefined ? [] : [now.auth.apiKey]),
      ...secretHeaders(now.auth.headers),
      ...secretSettings(now.env),
    ],
    headers: Object.keys(now.auth.headers ?? {}),
    origin: reached,
    thinking: options.thinking ?? thinking,
    way,
    trouble: (message) => trouble.of(message),
    renew: (signal) => auth.renew(signal),
    ...(store === undefined ? {} : { settled: () => store.settled() }),
  });
}

/** Certificates matter over TLS alone. */
async function wayOf(env: ResolveOptions['env'], address: string): Promise<Required<UpstreamWay>> {
  const ca = address.startsWith('http://') ? undefined : await extraCertificates(env);
  return { proxyFor: (target) => proxyFor(target, env), ca };
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
