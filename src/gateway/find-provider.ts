import type { Provider } from '@earendil-works/pi-ai';
import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { COMPATIBLE_APIS, compatibleProvider } from './compatible-provider.ts';
import type { CustomProviders } from './credentials/models-json.ts';
import type { UserCredentials } from './credentials/user-credentials.ts';
import { loadProvider, providerNames } from './provider-catalog.ts';

export interface ProviderSearch {
  readonly name: string;
  readonly model: string;
  /** Address that the user names. */
  readonly baseUrl: string | undefined;
  readonly custom: CustomProviders | undefined;
  readonly credentials: UserCredentials;
}

/** A provider of models.json, of pi-ai, or a wire protocol with an address. Throws SandboxError `model`. */
export async function findProvider({ name, model, baseUrl, custom, credentials }: ProviderSearch): Promise<Provider> {
  if (custom?.get(name) !== undefined) {
    const { customProvider } = await import('./credentials/custom-provider.ts');
    return customProvider(name, await loadProvider(name), custom, credentials);
  }
  const compatible = COMPATIBLE_APIS.find((api) => api === name);
  if (compatible !== undefined) {
    if (baseUrl === undefined) {
      throw new SandboxError('model', `"${name}" is a wire protocol, so the address of a server is needed with it.`, {
        hint: 'Give the address with --base-url, or name a provider.',
      });
    }
    return compatibleProvider(compatible, model, baseUrl);
  }
  const provider = await loadProvider(name);
  if (provider !== undefined) return provider;
  const names = [...(custom?.ids() ?? []), ...(await providerNames())];
  const guess = nearest(name, names);
  throw new SandboxError('model', `There is no provider "${name}".`, {
    hint: `${guess === undefined ? '' : `Did you mean "${guess}"? `}Known providers: ${names.join(', ')}.`,
  });
}
