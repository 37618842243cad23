import { SandboxError } from '../../errors.ts';
import type { LoginTrouble, UpstreamFacts } from '../upstream-error.ts';

/** Beginnings of what pi-ai says when it has no credentials for a call. */
const NO_LOGIN = /^Provider is not configured: /;
const NO_AUTH =
  /^(OAuth refresh failed for|OAuth auth derivation failed for|API key auth failed for|Credential store) /;

/**
 * Why there were no credentials for a call. pi-ai passes on the fact alone, and what lies behind it may quote what a server
 * said about a token.
 */
export class AuthTrouble {
  #facts: UpstreamFacts | undefined;

  /** A login could not be renewed; what was seen of it. */
  renewal(facts: UpstreamFacts): void {
    const { status, networkCode = 'UNKNOWN' } = facts;
    const passing = status !== undefined && (status >= 500 || status === 429);
    // In words that let pi try again where that can help.
    this.#facts = status === undefined ? { networkCode } : passing ? { status } : { login: 'refused' };
  }

  over(): void {
    this.#facts = undefined;
  }

  /** What to make of an error of pi-ai before anything was sent; undefined when it is about something else. */
  of(message: string | undefined): UpstreamFacts | undefined {
    if (message === undefined) return undefined;
    if (NO_LOGIN.test(message)) return { login: 'gone' };
    if (!NO_AUTH.test(message)) return undefined;
    if (message.startsWith('OAuth refresh') && this.#facts !== undefined) return this.#facts;
    return { login: 'unusable' satisfies LoginTrouble };
  }
}

/** A login that could not be renewed, for the user. */
export function renewalError(provider: string, { status, networkCode }: UpstreamFacts): SandboxError {
  const message = `pi's login for "${provider}" has to be renewed, and that failed: `;
  if (status === undefined) {
    return new SandboxError('model', `${message}network error (${networkCode ?? 'no connection'}).`, {
      hint: 'Try again. The stored login is as it was.',
    });
  }
  const why =
    status < 300
      ? 'the provider gave something that is no login'
      : status >= 500 || status === 429
        ? `the provider answered with HTTP ${status}`
        : `the provider refused (HTTP ${status})`;
  return new SandboxError('model', `${message}${why}.`, {
    hint: 'Try again, or log in anew: start pi and enter /login. The stored login is as it was.',
  });
}
