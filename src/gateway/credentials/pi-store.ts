import { isDeepStrictEqual } from 'node:util';
import type { AuthOperationOptions, Credential, CredentialInfo, CredentialStore } from '@earendil-works/pi-ai';
import { messageOf, SandboxError } from '../../errors.ts';
import { OneAtATime } from '../../lib/one-at-a-time.ts';
import type { AuthEntries, AuthFile } from './auth-file.ts';
import { AuthLock } from './auth-lock.ts';
import { MissingVariable } from './config-value.ts';
import { secretsOfCredential, storedCredential } from './stored-credential.ts';

export interface PiStoreOptions {
  readonly file: AuthFile;
  /** What a stored key stands for; rejects with MissingVariable, or an Error in our words. */
  readonly resolve: (key: string, env: Readonly<Record<string, string>> | undefined) => Promise<string>;
  /** Hears of everything that must never be seen, before it is used. */
  readonly onSecrets: (secrets: readonly string[]) => void;
}

/**
 * The logins and keys that pi keeps, for pi-ai. The only thing that ever changes is a login that was renewed: it is written
 * under pi's lock, and nothing is written where the provider refused.
 */
export class PiCredentialStore implements CredentialStore {
  readonly #options: PiStoreOptions;
  readonly #turns = new OneAtATime();
  #pending: Promise<unknown> = Promise.resolve();

  constructor(options: PiStoreOptions) {
    this.#options = options;
  }

  /** With the key that was meant. A key whose variable is not set counts as none, as with pi. */
  async read(provider: string): Promise<Credential | undefined> {
    const stored = await this.stored(provider);
    if (stored?.type !== 'api_key' || stored.key === undefined) return stored;
    const { key: raw, ...rest } = stored;
    try {
      const key = await this.#options.resolve(raw, stored.env);
      this.#options.onSecrets([key]);
      return { ...rest, key };
    } catch (error) {
      if (error instanceof MissingVariable) return rest;
      throw new SandboxError(
        'model',
        `The key for "${provider}" in ${this.#options.file.path} cannot be had: ${messageOf(error)}.`,
      );
    }
  }

  /** As it stands in the file; nothing is run. */
  async stored(provider: string): Promise<Credential | undefined> {
    return this.#entry(await this.#options.file.read(), provider);
  }

  async list(): Promise<readonly CredentialInfo[]> {
    const entries = await this.#options.file.read();
    return Object.keys(entries).flatMap((providerId) => {
      const type = this.#entry(entries, providerId)?.type;
      return type === undefined ? [] : [{ providerId, type }];
    });
  }

  /** Rejects with SandboxError `model` when the file cannot be locked or written, before `change` is asked. */
  modify(
    provider: string,
    change: (current: Credential | undefined) => Promise<Credential | undefined>,
    { signal }: AuthOperationOptions = {},
  ): Promise<Credential | undefined> {
    const work = this.#turns.run(() => this.#modify(provider, change, signal));
    this.#pending = work.catch(() => {});
    return work;
  }

  async delete(): Promise<void> {
    throw new SandboxError('internal', 'Logins are ended by pi alone.');
  }

  /** Settles when nothing is being renewed: what a provider has given must not be lost by leaving. */
  async settled(): Promise<void> {
    await this.#pending;
  }

  async #modify(
    provider: string,
    change: (current: Credential | undefined) => Promise<Credential | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<Credential | undefined> {
    const { file, onSecrets } = this.#options;
    if ((await file.text()) === undefined) return undefined;
    await using lock = await this.#lock(signal);
    const entries = await file.readLocked();
    const current = this.#entry(entries, provider);
    // A failure must show before the provider takes the old token back.
    await using place = await file.reserve().catch((error: unknown) => this.#unwritable(error));
    const next = await change(current);
    if (next === undefined) return current;
    onSecrets(secretsOfCredential(next));
    try {
      if (await lock.held()) {
        await place.write({ ...entries, [provider]: next });
        return next;
      }
      // Stopped for so long that somebody took the lock for left behind. What they wrote is newer than ours.
      await using _again = await AuthLock.take(file.path);
      const latest = await file.readLocked();
      if (!isDeepStrictEqual(latest[provider], entries[provider])) return this.#entry(latest, provider);
      await place.write({ ...latest, [provider]: next });
      return next;
    } catch (error) {
      throw new SandboxError(
        'model',
        `The login for "${provider}" was renewed, but cannot be kept in ${file.path}: ${messageOf(error)}.`,
        { cause: error, hint: 'Log in again when pi says that it has expired: start pi and enter /login.' },
      );
    }
  }

  async #lock(signal: AbortSignal | undefined): Promise<AuthLock> {
    try {
      return await AuthLock.take(this.#options.file.path, signal);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      return this.#unwritable(error);
    }
  }

  #unwritable(error: unknown): never {
    const { path } = this.#options.file;
    throw new SandboxError(
      'model',
      `A login of pi has to be renewed, but ${path} cannot be written: ${messageOf(error)}.`,
      {
        cause: error,
        hint: 'Make file and folder writable for you, and see that no other pi is stuck. The stored login is as it was.',
      },
    );
  }

  #entry(entries: AuthEntries, provider: string): Credential | undefined {
    const credential = storedCredential(provider, entries, this.#options.file.path);
    if (credential !== undefined) this.#options.onSecrets(secretsOfCredential(credential));
    return credential;
  }
}
