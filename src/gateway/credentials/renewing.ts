import type { OAuthAuth, OAuthCredential, Provider } from '@earendil-works/pi-ai';
import type { UpstreamFacts } from '../upstream-error.ts';
import { networkCode, type UpstreamWay } from '../upstream-fetch.ts';
import { type AuthTrouble, renewalError } from './auth-trouble.ts';
import { tokenFetch, withFetch } from './token-fetch.ts';

/** How long a login counts as good whose server does not say, milliseconds. */
const UNTOLD_MS = 10 * 60_000;

export interface RenewingOptions {
  readonly way: UpstreamWay;
  readonly trouble: AuthTrouble;
  /** In place of the way to servers that renew logins. */
  readonly tokenFetch?: typeof fetch | undefined;
  /** The user names the server; an address that comes with a login has no say. */
  readonly addressGiven: boolean;
}

/** The provider with logins that are renewed on our way to the net, failures in our words. */
export function renewing(provider: Provider, options: RenewingOptions): Provider {
  const { apiKey, oauth } = provider.auth;
  const auth = {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(oauth === undefined ? {} : { oauth: login(provider.id, oauth, options) }),
  };
  return { ...provider, auth };
}

function login(provider: string, oauth: OAuthAuth, options: RenewingOptions): OAuthAuth {
  const { way, trouble, addressGiven } = options;
  return {
    ...oauth,
    refresh: async (credential, signal) => {
      const facts: UpstreamFacts = {};
      const fetching = noting(options.tokenFetch ?? tokenFetch(way, facts), facts);
      try {
        const next = whole(await withFetch(fetching, () => oauth.refresh(credential, signal)), credential);
        trouble.over();
        return next;
      } catch {
        // What is thrown may quote the server, and that a token.
        trouble.renewal(facts);
        throw renewalError(provider, facts);
      }
    },
    toAuth: async (credential) => {
      const { baseUrl, ...auth } = await oauth.toAuth(credential);
      return addressGiven || baseUrl === undefined ? auth : { ...auth, baseUrl };
    },
  };
}

/**
 * What was given, when it is a login: it takes the place of the one that is stored. A server may leave out a refresh token that
 * stays as it was, and how long the login is good for.
 */
function whole(next: OAuthCredential, last: OAuthCredential): OAuthCredential {
  const { access, refresh, expires }: { access: unknown; refresh: unknown; expires: unknown } = next;
  if (typeof access !== 'string' || access === '') throw new Error('no access token');
  return {
    ...next,
    refresh: typeof refresh === 'string' && refresh !== '' ? refresh : last.refresh,
    expires: typeof expires === 'number' && Number.isFinite(expires) ? expires : Date.now() + UNTOLD_MS,
  };
}

function noting(own: typeof fetch, facts: UpstreamFacts): typeof fetch {
  return async (input, init) => {
    try {
      const answer = await own(input, init);
      facts.status = answer.status;
      return answer;
    } catch (error) {
      facts.networkCode ??= networkCode(error);
      throw error;
    }
  };
}
