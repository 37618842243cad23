import { join } from 'node:path';
import type { Api, Credential, Model, Provider } from '@earendil-works/pi-ai';
import { messageOf, SandboxError } from '../../errors.ts';
import type { ListedModel, ListedProvider } from '../../protocol/models-report.ts';
import { hostAuthContext } from '../host-auth.ts';
import type { ResolveOptions } from '../model-source.ts';
import { plannedPrice } from '../output-price.ts';
import { credentialHint } from '../provider-auth.ts';
import { AuthFile } from './auth-file.ts';
import { credentialSource } from './credential-source.ts';
import { customProvider } from './custom-provider.ts';
import { type CustomProviders, loadModelsJson } from './models-json.ts';
import { storedCredential } from './stored-credential.ts';
import { UserCredentials } from './user-credentials.ts';

type ListOptions = Pick<ResolveOptions, 'env'> & { readonly piFolder: string; readonly now?: () => number };

/**
 * Every provider, the user's own first: what it has, and where its credential would come from. Contacts nobody, runs no command,
 * changes nothing. Rejects with SandboxError `model` for a file of pi's that cannot be used.
 */
export async function listProviders({ env, piFolder, now = Date.now }: ListOptions): Promise<ListedProvider[]> {
  const { builtinProviders } = await import('@earendil-works/pi-ai/providers/all');
  const known = new Map<string, Provider>(builtinProviders().map((provider) => [provider.id, provider]));
  const files = { auth: join(piFolder, 'auth.json'), models: join(piFolder, 'models.json') };
  const custom = await loadModelsJson(files.models);
  const entries = await new AuthFile(files.auth).read();
  const credentials = new UserCredentials({ env, cwd: piFolder, piFolder }, () => {});
  const ids = new Set([...(custom?.ids() ?? []), ...known.keys()]);
  const listed: ListedProvider[] = [];
  for (const id of ids) {
    const base = known.get(id);
    const config = custom?.get(id);
    const asked = new Set<string>();
    const trouble: string[] = [];
    const stored = await noting(trouble, async () => storedCredential(id, entries, files.auth));
    const ctx = hostAuthContext(env, asked);
    const credential = await noting(trouble, () =>
      credentialSource({ base, config, stored, ctx, asked, files, now: now() }),
    );
    const provider = await noting(trouble, async () => composed(id, base, custom, credentials));
    const [problem] = trouble;
    listed.push({
      id,
      name: provider?.name ?? base?.name ?? id,
      custom: config !== undefined,
      ...(credential === undefined
        ? { hint: credentialHint([...asked], base?.auth.oauth !== undefined) }
        : { credential }),
      ...(problem === undefined ? {} : { problem }),
      models: modelsOf(provider, stored).map(listedModel),
    });
  }
  return listed;
}

function composed(
  id: string,
  base: Provider | undefined,
  custom: CustomProviders | undefined,
  credentials: UserCredentials,
): Provider | undefined {
  return custom?.get(id) === undefined ? base : customProvider(id, base, custom, credentials);
}

/** A login may reach a part of the models only. */
function modelsOf(provider: Provider | undefined, stored: Credential | undefined): readonly Model<Api>[] {
  const models = provider?.getModels() ?? [];
  return provider?.filterModels?.(models, stored) ?? models;
}

function listedModel(model: Model<Api>): ListedModel {
  const { id, name, reasoning, input, contextWindow, maxTokens } = model;
  return {
    id,
    name,
    reasoning,
    images: input.includes('image'),
    contextWindow,
    maxTokens,
    ...plannedPrice(model),
  };
}

/** One provider that is in disorder must not hide the others. A file that cannot be read at all does. */
async function noting<T>(trouble: string[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SandboxError)) trouble.push(`it cannot be looked at: ${messageOf(error)}`);
    else trouble.push(error.message);
    return undefined;
  }
}
