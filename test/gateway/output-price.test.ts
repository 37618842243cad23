import type { Api, Model } from '@earendil-works/pi-ai';
import { calculateCost } from '@earendil-works/pi-ai/models';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputOptions, worstPrice } from '../../src/gateway/output-price.ts';

const MODEL: Model<Api> = {
  id: 'm',
  name: 'm',
  api: 'anthropic-messages',
  provider: 'p',
  baseUrl: '',
  reasoning: true,
  input: ['text'],
  cost: {
    ...{ input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5 },
    tiers: [{ inputTokensAbove: 1_000, input: 4, output: 6, cacheRead: 0.4, cacheWrite: 5 }],
  },
  contextWindow: 200_000,
  maxTokens: 64_000,
};

test('the worst price is no less than the price of any call within its tokens', () => {
  const tokens = fc.nat(3_000);
  fc.assert(
    fc.property(tokens, tokens, tokens, tokens, fc.nat(500), (input, output, cacheRead, cacheWrite, unused) => {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
      const { total } = calculateCost(MODEL, { input, output, cacheRead, cacheWrite, totalTokens: 0, cost });
      const worst = worstPrice(MODEL, { input: input + cacheRead + cacheWrite + unused, output: output + unused });
      expect(worst).toBeGreaterThanOrEqual(total - 1e-12);
    }),
  );
});

test('an endpoint that cannot be told a limit may answer with all that the model has', () => {
  const unlimited = { ...MODEL, api: 'openai-responses', compat: { supportsMaxOutputTokens: false } } as Model<Api>;
  expect(worstPrice(unlimited, { input: 0, output: 1 })).toBeCloseTo((64_000 * 8) / 1e6);
});

test('thinking shares what was granted, and gives way where there is no room for it', () => {
  expect(outputOptions(MODEL, 20_000, 'medium')).toMatchObject({ maxTokens: 11_808, reasoning: 'medium' });
  expect(outputOptions(MODEL, 4_000, 'max')).toMatchObject({ maxTokens: 1_024, thinkingBudgets: { high: 2_976 } });
  expect(outputOptions(MODEL, 2_000, 'high')).toEqual({ maxTokens: 2_000 });
  expect(outputOptions(MODEL, 2_000, undefined)).toEqual({ maxTokens: 2_000 });
  const adaptive = { ...MODEL, compat: { forceAdaptiveThinking: true } } as Model<Api>;
  expect(outputOptions(adaptive, 2_000, 'high')).toEqual({ maxTokens: 2_000, reasoning: 'high' });
});
