import type { Credential } from '@earendil-works/pi-ai';
import { Type } from '@sinclair/typebox';
import { SandboxError } from '../../errors.ts';
import { strictParse } from '../../lib/strict-parse.ts';
import type { AuthEntries } from './auth-file.ts';

/** Further keys belong to the provider's login and are kept. */
const StoredCredential = Type.Union([
  Type.Object({
    type: Type.Literal('api_key'),
    /** Literal, `$NAME` or `!command`. */
    key: Type.Optional(Type.String()),
    /** Settings of the provider, such as an account id. */
    env: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  Type.Object({
    type: Type.Literal('oauth'),
    access: Type.String({ minLength: 1 }),
    refresh: Type.String(),
    /** Milliseconds since the epoch. */
    expires: Type.Number(),
  }),
]);

/** One entry of `auth.json`, which lies at `path`. Throws SandboxError `model`; the words hold nothing of the entry. */
export function storedCredential(provider: string, entries: AuthEntries, path: string): Credential | undefined {
  const entry = Object.hasOwn(entries, provider) ? entries[provider] : undefined;
  if (entry === undefined) return undefined;
  const parsed = strictParse(StoredCredential, entry);
  if (parsed.ok) return parsed.value;
  throw new SandboxError(
    'model',
    `The entry "${provider}" in ${path} is neither a key nor a login as pi writes them.`,
    {
      hint: `Log in again: start pi and enter /login. Or take the entry out of the file.`,
    },
  );
}

/** Values of settings that are secrets; scrubbing a region name would damage ordinary text. */
export function secretSettings(env: Readonly<Record<string, string | null>> | undefined): string[] {
  return Object.entries(env ?? {}).flatMap(([name, value]) =>
    value !== null && /KEY|TOKEN|SECRET|PASSWORD/i.test(name) ? [value] : [],
  );
}

/** What must never be seen of a credential. */
export function secretsOfCredential(credential: Credential): string[] {
  if (credential.type === 'oauth') return [credential.access, credential.refresh];
  return [...(credential.key === undefined ? [] : [credential.key]), ...secretSettings(credential.env)];
}
