import type { ProviderStreams } from '@earendil-works/pi-ai';

/** Wire protocols that a provider of the user may speak. Each is loaded when it is used. */
export const CUSTOM_APIS: readonly string[] = [
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'google-generative-ai',
  'mistral-conversations',
  'azure-openai-responses',
  'openai-codex-responses',
  'google-vertex',
  'bedrock-converse-stream',
];

/** pi-ai's client of one of them. */
export async function apiStreams(api: string): Promise<ProviderStreams> {
  if (!CUSTOM_APIS.includes(api)) throw new Error(`unknown wire protocol "${api}"`);
  const exports: Record<string, unknown> = await import(`@earendil-works/pi-ai/api/${api}.lazy`);
  for (const [name, make] of Object.entries(exports)) {
    if (!name.endsWith('Api') || typeof make !== 'function') continue;
    const streams: unknown = make();
    if (isStreams(streams)) return streams;
  }
  throw new Error(`the wire protocol "${api}" is not in this version of pi-ai`);
}

function isStreams(value: unknown): value is ProviderStreams {
  return typeof value === 'object' && value !== null && 'stream' in value && 'streamSimple' in value;
}
