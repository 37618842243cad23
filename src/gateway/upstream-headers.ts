/*
 * The SDKs that pi-ai uses add headers from variables of the process (an organisation, free custom headers). They do so
 * whoever the request goes to, so that OpenAI's organisation would travel to every server that speaks its protocol.
 * What pi-ai's own adapters send is a short list.
 */

const NAMES: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-type',
  'user-agent',
  'api-key',
  'x-api-key',
  'cf-aig-authorization',
  'http-referer',
  'openai-beta',
  'openai-intent',
  'originator',
  'chatgpt-account-id',
  'session-id',
  'session_id',
  'x-affinity',
  'x-app',
  'x-client-request-id',
  'x-initiator',
  'x-interaction-type',
]);
const PREFIXES = [
  'anthropic-',
  'copilot-',
  'editor-',
  'x-github-',
  'x-goog-',
  'x-opencode-',
  'x-openrouter-',
  'x-session-',
  'x-stainless-',
];

/** Only the headers that an adapter means to send. `own` are names that the model or its credentials ask for. */
export function upstreamHeaders(headers: Headers, own: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(
      ([name]) => NAMES.has(name) || own.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix)),
    ),
  );
}
