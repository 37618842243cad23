import { afterEach, describe, expect, test, vi } from 'vitest';
import { resolveModel } from '../../src/gateway/model-source.ts';
import { fakeUpstream, sse } from '../support/fake-upstream.ts';
import { STYLES, type UpstreamStyle } from '../support/fake-upstream-styles.ts';
import { askAsPi, startGateway, systemMessage, userMessage } from './harness.ts';

const KEY = 'sk-test-0123456789-canary-key-abcdef';

/** Variables that SDKs of providers look for in the process by themselves. */
const SURPRISES: Record<string, string> = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NODE_USE_ENV_PROXY: '1',
  OPENAI_BASE_URL: 'http://127.0.0.1:9/env',
  OPENAI_API_KEY: 'ENV-openai-key',
  OPENAI_ORG_ID: 'ENV-organisation',
  OPENAI_PROJECT_ID: 'ENV-project',
  OPENAI_CUSTOM_HEADERS: 'x-env: ENV-header',
  OPENAI_LOG: 'debug',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/env',
  ANTHROPIC_API_KEY: 'ENV-anthropic-key',
  ANTHROPIC_AUTH_TOKEN: 'ENV-anthropic-token',
  ANTHROPIC_CUSTOM_HEADERS: 'x-env: ENV-header',
  ANTHROPIC_LOG: 'debug',
  GOOGLE_API_KEY: 'ENV-google-key',
  GEMINI_API_KEY: 'ENV-gemini-key',
  GOOGLE_GENAI_USE_VERTEXAI: 'true',
  GOOGLE_GENAI_USE_ENTERPRISE: 'true',
  GOOGLE_CLOUD_PROJECT: 'ENV-cloud-project',
  GOOGLE_CLOUD_LOCATION: 'ENV-location',
  GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9/env',
  GOOGLE_VERTEX_BASE_URL: 'http://127.0.0.1:9/env',
  PI_CACHE_RETENTION: 'long',
};

afterEach(() => {
  vi.unstubAllEnvs();
});

async function call(style: UpstreamStyle) {
  await using upstream = await fakeUpstream(sse(...style.say({ text: 'Hello.' })));
  const env = (name: string) => (name === style.keyName ? KEY : undefined);
  const source = await resolveModel(style.spec, { env, cwd: '/', baseUrl: upstream.origin + style.base });
  const harness = await startGateway(source);
  const answer = await askAsPi(harness, style.id, [systemMessage(), userMessage('hi')]);
  await harness.close();
  return { answer, requests: upstream.requests };
}

describe.each(STYLES)('$name', (style) => {
  test('what stands in the environment of the process, but was not handed over, changes nothing', async () => {
    // SDKs take a log level from the environment too; what they print is the terminal's business.
    for (const method of ['log', 'debug', 'info', 'warn'] as const) vi.spyOn(console, method).mockReturnValue();
    for (const [name, value] of Object.entries(SURPRISES)) vi.stubEnv(name, value);
    const { answer, requests } = await call(style);
    vi.restoreAllMocks();
    expect(answer.errorMessage).toBeUndefined();
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests)).not.toMatch(/ENV-|x-env/);
    expect(JSON.stringify(requests).split(KEY)).toHaveLength(2);
  });
});
