import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Provider } from '@earendil-works/pi-ai';
import { messageOf, SandboxError } from '../../errors.ts';
import type { ResolveOptions } from '../model-source.ts';
import { AuthFile } from './auth-file.ts';
import { type ConfigSources, type ConfigValue, parseConfigValue, resolveConfigValue } from './config-value.ts';
import { customAuth } from './custom-auth.ts';
import type { CustomProvider } from './models-schema.ts';
import { PiCredentialStore } from './pi-store.ts';
import { SecretCommands } from './secret-command.ts';
import { secretHeaders } from './secret-headers.ts';

type Env = (name: string) => string | undefined;

/** The user's own sources of credentials on this host: environment, commands, what pi has stored. Made for one run. */
export class UserCredentials {
  /** Absent where there is no folder of pi's. */
  readonly store: PiCredentialStore | undefined;
  readonly #env: Env;
  readonly #commands: SecretCommands;
  readonly #onSecrets: (secrets: readonly string[]) => void;

  constructor(options: ResolveOptions, onSecrets: (secrets: readonly string[]) => void) {
    const { env, piFolder } = options;
    this.#env = env;
    this.#onSecrets = onSecrets;
    this.#commands = new SecretCommands(() => ({ cwd: piFolder ?? homedir(), env: commandEnvironment(options) }));
    if (piFolder !== undefined) {
      this.store = new PiCredentialStore({
        file: new AuthFile(join(piFolder, 'auth.json'), options.checkFile),
        resolve: (key, own) => this.resolve(parseConfigValue(key), (name) => own?.[name] || env(name)),
        onSecrets,
      });
    }
  }

  /** What a value of the user's files stands for. Rejects with an Error in our words. */
  async resolve(value: ConfigValue, env: Env = this.#env): Promise<string> {
    const sources: ConfigSources = { env, run: (command) => this.#commands.run(command) };
    const resolved = await resolveConfigValue(value, sources);
    // What comes from elsewhere was meant to be secret, whatever it is used for.
    if (value.kind === 'command') this.#onSecrets([resolved]);
    return resolved;
  }

  /** Headers that models.json has for one model, secrets known. Throws SandboxError `model`. */
  async modelHeaders(config: CustomProvider | undefined, model: string): Promise<Record<string, string> | undefined> {
    const written = {
      ...config?.modelOverrides?.[model]?.headers,
      ...config?.models?.find(({ id }) => id === model)?.headers,
    };
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(written)) {
      headers[name] = await this.resolve(parseConfigValue(value)).catch((error: unknown) => {
        throw new SandboxError(
          'model',
          `The header "${name}" of "${model}" in models.json cannot be had: ${messageOf(error)}.`,
        );
      });
    }
    this.#onSecrets(secretHeaders(headers));
    return Object.keys(headers).length === 0 ? undefined : headers;
  }

  /** The credentials of a provider that models.json describes, alone or upon a known one. */
  authOf(config: CustomProvider, base: Provider | undefined): Provider['auth'] {
    return customAuth({
      config,
      base,
      resolve: (value, env) => this.resolve(value, env),
      onSecrets: this.#onSecrets,
    });
  }
}

function commandEnvironment({ env, environment }: ResolveOptions): Record<string, string> {
  const all = environment?.() ?? { PATH: env('PATH'), HOME: env('HOME') };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
