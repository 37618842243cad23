import type { Api, AuthResult, Credential, Model, Provider } from '@earendil-works/pi-ai';
import type { Models } from '@earendil-works/pi-ai/models';
import { messageOf, SandboxError } from '../errors.ts';
import { ConfigValueError } from './credentials/config-value.ts';
import type { PiCredentialStore } from './credentials/pi-store.ts';

export interface ProviderAuthParts {
  readonly models: Models;
  readonly model: Model<Api>;
  readonly provider: Provider;
  readonly store: PiCredentialStore | undefined;
  /** Variables that the provider has looked for. */
  readonly asked: ReadonlySet<string>;
}

/** The credentials of one provider before a run, with failures in words for the user. */
export class ProviderAuth {
  readonly #parts: ProviderAuthParts;

  constructor(parts: ProviderAuthParts) {
    this.#parts = parts;
  }

  /** As they are, a login even when it has expired. Contacts nobody. Rejects with SandboxError `model`. */
  async now(): Promise<AuthResult> {
    const { models, model, provider, store } = this.#parts;
    const stored = await store?.stored(provider.id);
    const { oauth } = provider.auth;
    const found = await this.#worded(async () =>
      stored?.type === 'oauth' && oauth !== undefined
        ? { auth: await oauth.toAuth(stored), source: 'OAuth' }
        : await models.getAuth(model),
    );
    if (found !== undefined) return found;
    throw this.#missing(stored);
  }

  /** Renews a login that is about to expire. Rejects with SandboxError `model`. */
  async renew(signal?: AbortSignal): Promise<void> {
    const { models, model, provider, store } = this.#parts;
    if (provider.auth.oauth === undefined) return;
    const stored = await store?.stored(provider.id);
    if (stored?.type !== 'oauth') return;
    const renewing = () => models.getAuth(model, signal === undefined ? {} : { signal });
    if ((await this.#worded(renewing)) === undefined) throw this.#missing(undefined);
  }

  async #worded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
        if (cause instanceof SandboxError) throw cause;
        if (cause instanceof ConfigValueError) throw this.#unusable(cause.message);
      }
      throw this.#unusable(messageOf(error));
    }
  }

  #unusable(why: string): SandboxError {
    return new SandboxError('model', `The credentials for "${this.#parts.provider.id}" cannot be used: ${why}.`);
  }

  #missing(stored: Credential | undefined): SandboxError {
    const { provider, asked } = this.#parts;
    const names = [...asked];
    const other =
      stored === undefined
        ? ''
        : ` What pi has stored for it is ${stored.type === 'oauth' ? 'a login' : 'a key'} that it does not take.`;
    return new SandboxError('model', `There are no credentials for provider "${provider.id}".${other}`, {
      hint: credentialHint(names, provider.auth.oauth !== undefined),
    });
  }
}

/** How to get a credential: variables that would do, and whether there is a login. */
export function credentialHint(variables: readonly string[], login: boolean): string {
  const [only] = variables;
  const set =
    only === undefined
      ? ''
      : `Set ${variables.length === 1 ? only : `one of ${variables.join(', ')}`} in the environment`;
  const start = 'start pi and enter /login';
  if (set === '')
    return `${login ? `Log in with pi: ${start}` : `Store a key with pi: ${start}`}. It stays on the host.`;
  return `${set}, or ${login ? 'log in' : 'store a key'} with pi: ${start}. The key stays on the host.`;
}
