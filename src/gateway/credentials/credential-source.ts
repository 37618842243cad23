import type { AuthContext, Credential, Provider } from '@earendil-works/pi-ai';
import type { CredentialSource } from '../../protocol/models-report.ts';
import { parseConfigValue, variablesOf } from './config-value.ts';
import { isKeyless, SOURCE } from './custom-auth.ts';
import type { CustomProvider } from './models-schema.ts';

export interface SourceSearch {
  /** The known provider; absent for one that models.json alone has. */
  readonly base: Provider | undefined;
  readonly config: CustomProvider | undefined;
  /** As it stands in auth.json. */
  readonly stored: Credential | undefined;
  readonly ctx: AuthContext;
  /** Variables that `ctx` was asked for. */
  readonly asked: ReadonlySet<string>;
  readonly files: { readonly auth: string; readonly models: string };
  readonly now: number;
}

/** Where the credential of a provider would come from, in pi's order. Runs no command and renews no login. */
export async function credentialSource(search: SourceSearch): Promise<CredentialSource | undefined> {
  const { base, config, stored, ctx, files } = search;
  if (stored?.type === 'oauth') return base?.auth.oauth === undefined ? undefined : login(stored, search);
  const takesKey = base?.auth.apiKey !== undefined || (base === undefined && config !== undefined);
  if (stored?.key !== undefined && takesKey) {
    const own = await written(stored.key, files.auth, ctx, stored.env);
    if (own !== undefined) return own;
  }
  if (stored === undefined && config?.apiKey !== undefined) return await written(config.apiKey, files.models, ctx);
  if (base !== undefined) return await ofItsOwn(base, search);
  return config !== undefined && isKeyless(config) ? { kind: 'none-needed' } : undefined;
}

function login(stored: Extract<Credential, { type: 'oauth' }>, { files, now }: SourceSearch): CredentialSource {
  const expires = new Date(stored.expires);
  const expired = stored.expires <= now;
  if (Number.isNaN(expires.getTime())) return { kind: 'login', file: files.auth, expired };
  return { kind: 'login', file: files.auth, expires: expires.toISOString(), expired };
}

/** A key in a file; undefined when a variable that it needs is not set. */
async function written(
  key: string,
  file: string,
  ctx: AuthContext,
  own: Readonly<Record<string, string>> = {},
): Promise<CredentialSource | undefined> {
  const value = parseConfigValue(key);
  if (value.kind === 'command') return { kind: 'key', file, form: 'command' };
  const names = variablesOf(value);
  for (const name of names) if (!(own[name] || (await ctx.env(name)))) return undefined;
  if (names.length === 0) return { kind: 'key', file, form: 'literal' };
  return { kind: 'key', file, form: 'variable', name: names.join(', ') };
}

async function ofItsOwn(base: Provider, { ctx, stored, asked }: SourceSearch): Promise<CredentialSource | undefined> {
  const key =
    stored?.type === 'api_key' ? { type: 'api_key' as const, ...(stored.env && { env: stored.env }) } : undefined;
  const input = { ctx, signal: new AbortController().signal, ...(key === undefined ? {} : { credential: key }) };
  const found = (await base.auth.apiKey?.check?.(input)) ?? (await base.auth.apiKey?.resolve(input));
  if (found === undefined) return undefined;
  const name = found.source ?? SOURCE.unnamed;
  return asked.has(name) ? { kind: 'environment', name } : { kind: 'other', name };
}
