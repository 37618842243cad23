import type { AssistantMessage } from '@earendil-works/pi-ai';
import { isContextOverflow } from '@earendil-works/pi-ai/utils/overflow';
import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';

/** What went wrong at the provider, as far as the container and the records may know. */
export type UpstreamCategory =
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'rate_limit'
  | 'quota'
  | 'overloaded'
  | 'bad_request'
  | 'context_too_long'
  | 'network'
  | 'timeout'
  | 'redirect'
  | 'answer_size'
  | 'no_answer'
  | 'garbage'
  | 'server'
  | 'other';

/** Why there were no credentials for a call: a login that its provider did not renew, none any more, or one that cannot be read. */
export type LoginTrouble = 'refused' | 'gone' | 'unusable';

/** What the connection to the provider showed. */
export interface UpstreamFacts {
  /** Nothing was sent, for want of credentials. */
  login?: LoginTrouble | undefined;
  /** HTTP status of the last answer. */
  status?: number | undefined;
  retryAfterSeconds?: number | undefined;
  /** Node's error code of a connection that failed or broke. */
  networkCode?: string | undefined;
  /** Any of its body came. */
  answered?: boolean | undefined;
  /** The answer was cut, because it was larger than one that is meant to be read. */
  tooLarge?: boolean | undefined;
}

/**
 * A provider's error in our words. Bodies of providers hold ends of keys, organisation ids and addresses, so no part
 * of them is used. The words are chosen so that pi retries what it would have retried, and nothing else.
 */
export function describeUpstreamError(
  original: AssistantMessage,
  facts: UpstreamFacts,
): { category: UpstreamCategory; text: string } {
  if (facts.login !== undefined) return { category: 'authentication', text: LOGIN_TEXTS[facts.login] };
  const category = categoryOf(original, facts);
  const { status, networkCode, retryAfterSeconds } = facts;
  const notes = [
    ...(status !== undefined && (status < 200 || status >= 300) ? [`HTTP ${status}`] : []),
    ...(networkCode !== undefined ? [networkCode] : []),
    ...(category === 'rate_limit' && retryAfterSeconds !== undefined ? [`free again in ${retryAfterSeconds} s`] : []),
  ];
  const words = category === 'garbage' && isRetryableAssistantError(original) ? GARBAGE_RETRIED : TEXTS[category];
  return { category, text: notes.length === 0 ? `${words}.` : `${words} (${notes.join(', ')}).` };
}

const TEXTS: Record<UpstreamCategory, string> = {
  authentication: 'The provider did not accept the credentials',
  permission: 'The provider denied access to this model',
  not_found: 'The provider does not know this model or address',
  rate_limit: 'Rate limit of the provider',
  quota: 'The provider refused: quota or billing limit of the account',
  overloaded: 'The provider is overloaded',
  bad_request: 'The provider refused the request as malformed',
  context_too_long: 'The prompt is too long for the model',
  network: 'Network error between host and provider',
  timeout: 'Timeout at the provider',
  redirect: 'The provider answered with a redirect, which is never followed',
  answer_size: 'The answer of the provider was cut, because it is much larger than what was asked for',
  no_answer: 'Network error: the provider ended the connection without an answer',
  garbage: 'What the provider sent is not a whole answer in its protocol',
  server: 'Server error at the provider',
  other: 'The provider reported a failure',
};

/** What pi tries again, it does by these words. */
const GARBAGE_RETRIED = 'Server error: what the provider sent is not a whole answer in its protocol';

const LOGIN_TEXTS: Record<LoginTrouble, string> = {
  refused: 'The provider did not renew the login. Log in again with pi on the host.',
  gone: 'There are no credentials for this provider on the host any more.',
  unusable: 'The credentials for this provider cannot be used on the host.',
};

const BY_STATUS: Record<number, UpstreamCategory> = {
  401: 'authentication',
  402: 'quota',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  413: 'context_too_long',
  429: 'rate_limit',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
};

function categoryOf(original: AssistantMessage, facts: UpstreamFacts): UpstreamCategory {
  const { status } = facts;
  if (facts.tooLarge === true) return 'answer_size';
  if (status !== undefined && status >= 400) {
    if (status < 500 && isContextOverflow(original)) return 'context_too_long';
    // pi-ai knows the texts with which providers say that waiting will not help.
    if (status === 429 && !isRetryableAssistantError(original)) return 'quota';
    return BY_STATUS[status] ?? (status >= 500 ? 'server' : 'bad_request');
  }
  if (status !== undefined && status >= 300) return 'redirect';
  if (status !== undefined && status < 200) return 'server';
  if (facts.networkCode !== undefined) return 'network';
  return unreadable(original, facts) ?? categoryOfText(original);
}

/** Nothing came, or what came is none of the events that the provider's client knows. */
function unreadable(
  { content, errorMessage = '' }: AssistantMessage,
  facts: UpstreamFacts,
): UpstreamCategory | undefined {
  if (facts.status === undefined) return undefined;
  if (/\bJSON\b/.test(errorMessage) && !/^\{/.test(errorMessage)) return 'garbage';
  if (content.length > 0 || !/\bended (without|before)\b/.test(errorMessage)) return undefined;
  return facts.answered === true ? 'garbage' : 'no_answer';
}

/** For failures inside an answer that began well. */
function categoryOfText(original: AssistantMessage): UpstreamCategory {
  if (isContextOverflow(original)) return 'context_too_long';
  if (!isRetryableAssistantError(original)) return 'other';
  const text = original.errorMessage ?? '';
  if (/rate.?limit|too many requests/i.test(text)) return 'rate_limit';
  if (/overload|busy|capacity|high demand/i.test(text)) return 'overloaded';
  if (/ended|terminated|closed|hang up|connection|cut short|interrupted/i.test(text)) return 'network';
  return 'server';
}
