import type { ApiKeyAuth, AuthContext, AuthResult, OAuthAuth, Provider, ProviderAuth } from '@earendil-works/pi-ai';
import { isLoopback } from '../upstream/proxy.ts';
import { type ConfigValue, parseConfigValue, variablesOf } from './config-value.ts';
import type { CustomProvider } from './models-schema.ts';
import { secretHeaders } from './secret-headers.ts';

/** Sent where a server wants no key: the protocols have no way to send none. */
export const NO_KEY = 'none';
/** How the origin of a key is called where it comes from models.json. */
export const SOURCE = { key: 'models.json', none: 'no key needed', unnamed: 'settings of the provider' } as const;

export interface CustomAuthParts {
  readonly config: CustomProvider;
  /** The provider that is changed, where it is a known one. */
  readonly base: Provider | undefined;
  /** What a value stands for, the variables read through this function. Rejects with an Error in our words. */
  readonly resolve: (value: ConfigValue, env: (name: string) => string | undefined) => Promise<string>;
  readonly onSecrets: (secrets: readonly string[]) => void;
}

/** Credentials of a provider of models.json, in pi's order: a stored one, the key of the file, the provider's own variables. */
export function customAuth(parts: CustomAuthParts): ProviderAuth {
  const { base, config } = parts;
  const oauth = base?.auth.oauth;
  const wantsKey = base?.auth.apiKey !== undefined || config.apiKey !== undefined || oauth === undefined;
  return {
    ...(wantsKey ? { apiKey: keyAuth(parts) } : {}),
    ...(oauth === undefined ? {} : { oauth: loginAuth(parts, oauth) }),
  };
}

function keyAuth(parts: CustomAuthParts): ApiKeyAuth {
  const { config, base, resolve, onSecrets } = parts;
  const inherited = base?.auth.apiKey;
  const found = async (input: Parameters<ApiKeyAuth['resolve']>[0]): Promise<AuthResult | undefined> => {
    const { credential } = input;
    if (credential !== undefined || config.apiKey === undefined) {
      if (inherited !== undefined) return await inherited.resolve(input);
      if (credential?.key !== undefined) return stored(credential.key, credential.env);
      return isKeyless(config) ? { auth: { apiKey: NO_KEY }, source: SOURCE.none } : undefined;
    }
    const value = parseConfigValue(config.apiKey);
    const key = await resolve(value, await variables(input.ctx, [value]));
    onSecrets([key]);
    const own = { type: 'api_key', key } as const;
    const result =
      inherited === undefined ? { auth: { apiKey: key } } : await inherited.resolve({ ...input, credential: own });
    return result === undefined ? undefined : { ...result, source: SOURCE.key };
  };
  return {
    name: inherited?.name ?? 'API key',
    resolve: async (input) => {
      const result = await found(input);
      if (result === undefined) return undefined;
      const settings = { ...input.credential?.env, ...result.env };
      return { ...result, auth: await withHeaders(parts, result.auth, input.ctx, settings) };
    },
  };
}

function stored(apiKey: string, env: Record<string, string> | undefined): AuthResult {
  return { auth: { apiKey }, source: 'stored credential', ...(env === undefined ? {} : { env }) };
}

function loginAuth(parts: CustomAuthParts, oauth: OAuthAuth): OAuthAuth {
  return {
    ...oauth,
    toAuth: async (credential) => withHeaders(parts, await oauth.toAuth(credential), undefined, {}),
  };
}

/** A server of this machine: Ollama, vLLM, llama.cpp. */
export function isKeyless({ baseUrl }: CustomProvider): boolean {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  return url !== null && isLoopback(url.hostname);
}

async function withHeaders(
  { config, resolve, onSecrets }: CustomAuthParts,
  auth: AuthResult['auth'],
  ctx: AuthContext | undefined,
  settings: Readonly<Record<string, string | null>>,
): Promise<AuthResult['auth']> {
  const values = Object.entries(config.headers ?? {}).map(([name, value]) => [name, parseConfigValue(value)] as const);
  const known =
    ctx === undefined
      ? () => undefined
      : await variables(
          ctx,
          values.map(([, value]) => value),
        );
  const env = (name: string): string | undefined => settings[name] ?? known(name);
  const headers: Record<string, string | null> = { ...auth.headers };
  for (const [name, value] of values) headers[name] = await resolve(value, env);
  if (config.authHeader === true) headers['Authorization'] = `Bearer ${auth.apiKey ?? ''}`;
  onSecrets(secretHeaders(headers));
  return Object.keys(headers).length === 0 ? auth : { ...auth, headers };
}

/** Read beforehand, since pi-ai answers asynchronously. */
async function variables(
  ctx: AuthContext,
  values: readonly ConfigValue[],
): Promise<(name: string) => string | undefined> {
  const known = new Map<string, string | undefined>();
  for (const name of values.flatMap(variablesOf)) known.set(name, await ctx.env(name));
  return (name) => known.get(name);
}
