import type { Provider } from '@earendil-works/pi-ai';

/**
 * The pi-ai provider of this name, loaded alone: all of them together take five times as long. Undefined when there
 * is none.
 */
export async function loadProvider(name: string): Promise<Provider | undefined> {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return undefined;
  let exports: Record<string, unknown>;
  try {
    exports = await import(`@earendil-works/pi-ai/providers/${name}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
  // Each module exports one factory, `openaiProvider` for example.
  for (const [key, factory] of Object.entries(exports)) {
    if (!key.endsWith('Provider') || typeof factory !== 'function') continue;
    const provider: unknown = factory();
    if (isProvider(provider) && provider.id === name) return provider;
  }
  return undefined;
}

/** Names of all providers. Loads them all; only for messages to a person. */
export async function providerNames(): Promise<string[]> {
  const { builtinProviders } = await import('@earendil-works/pi-ai/providers/all');
  return builtinProviders().map(({ id }) => id);
}

function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && 'id' in value && 'auth' in value && 'streamSimple' in value;
}
