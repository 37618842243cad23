import { expect, test } from 'vitest';
import { makePlan as planFrom } from '../../src/plan/make-plan.ts';
import { effectivePolicy } from '../../src/policy/effective.ts';
import type { PlannedModel } from '../../src/protocol/model.ts';
import type { RunRequest } from '../../src/request/run-request.ts';
import { layerOf } from '../policy/files.ts';
import { hostFacts, REQUEST, refusal } from './support.ts';

const PRICED = { ...hostFacts().model, price: { input: 3, output: 15 } };
const UNPRICED = hostFacts().model;

function plan(more: Partial<RunRequest>, model: PlannedModel = PRICED, file?: string) {
  const request = { ...REQUEST, ...more };
  const policy = effectivePolicy(request, file === undefined ? [] : [layerOf(file)]);
  return planFrom(request, { ...hostFacts(), model, policy, policySha256: '1'.repeat(64), canAsk: false });
}

test('money is limited where somebody says so, by option or file, and the option wins', () => {
  expect(plan({}).limits.gateway.costUsd).toBeUndefined();
  expect(plan({ maxUsd: 0.5 }).limits.gateway.costUsd).toBe(0.5);
  const file = 'version: 1\nlimits: { maxUsd: 2.5 }\n';
  expect(plan({}, PRICED, file).limits.gateway.costUsd).toBe(2.5);
  expect(plan({ maxUsd: 3 }, PRICED, file).limits.gateway.costUsd).toBe(3);
});

test('a model without a price takes no budget of money, and one of tokens is named', () => {
  const error = refusal(() => plan({ maxUsd: 0.5, maxTokens: 1_000 }, UNPRICED));
  expect(error).toMatchObject({ code: 'usage' });
  expect(error.message).toBe(
    '--max-usd 0.5: there is no price for the model "anthropic/claude", so its money cannot be counted.',
  );
  expect(error.hint).toContain('--max-tokens');
});

test('where a file limits money, a chosen budget of tokens stands in for it, and this is said', () => {
  const file = 'version: 1\nlimits: { maxUsd: 2.5 }\n';
  expect(refusal(() => plan({}, UNPRICED, file)).message).toMatch(/^limits\.maxUsd \(.*:2\) 2\.5: there is no price/);
  const planned = plan({ maxTokens: 5_000 }, UNPRICED, file);
  expect(planned.limits.gateway).toMatchObject({ outputTokens: 5_000 });
  expect(planned.limits.gateway).not.toHaveProperty('costUsd');
  expect(planned.notices).toContainEqual(expect.stringMatching(/limits\.maxUsd .* has no effect.* 5000 output tokens/));
});
