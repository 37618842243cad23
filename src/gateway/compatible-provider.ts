import type { Api, Provider, ProviderStreams } from '@earendil-works/pi-ai';
import { anthropicMessagesApi } from '@earendil-works/pi-ai/api/anthropic-messages.lazy';
import { googleGenerativeAIApi } from '@earendil-works/pi-ai/api/google-generative-ai.lazy';
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy';
import { openAIResponsesApi } from '@earendil-works/pi-ai/api/openai-responses.lazy';
import { createProvider } from '@earendil-works/pi-ai/models';

/** Wire protocols that a server named with a base URL may speak. Each serves as provider name: `openai-completions/my-model`. */
export const COMPATIBLE_APIS = [
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'google-generative-ai',
] as const;
export type CompatibleApi = (typeof COMPATIBLE_APIS)[number];

/** Variable that holds the key for such a server, so that no key of a known provider goes to an address of somebody else. */
export const COMPATIBLE_KEY = 'PI_SANDBOX_API_KEY';
/** Sent where a server wants no key: the protocols have no way to send none. */
const NO_KEY = 'none';

const STREAMS: Record<CompatibleApi, () => ProviderStreams> = {
  'openai-completions': openAICompletionsApi,
  'openai-responses': openAIResponsesApi,
  'anthropic-messages': anthropicMessagesApi,
  'google-generative-ai': googleGenerativeAIApi,
};

/** A provider with the one model that was asked for. Sizes are guesses on the safe side; its price is unknown. */
export function compatibleProvider(api: CompatibleApi, model: string, baseUrl: string): Provider {
  return createProvider<Api>({
    id: api,
    baseUrl,
    auth: {
      apiKey: {
        name: 'key of the compatible server',
        resolve: async ({ ctx }) => {
          const key = await ctx.env(COMPATIBLE_KEY);
          return { auth: { apiKey: key ?? NO_KEY }, source: key === undefined ? 'none' : COMPATIBLE_KEY };
        },
      },
    },
    models: [
      {
        id: model,
        name: model,
        api,
        provider: api,
        baseUrl,
        reasoning: false,
        input: ['text'],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 128_000,
        maxTokens: 8192,
      },
    ],
    api: STREAMS[api](),
  });
}
