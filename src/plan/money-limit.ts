import { SandboxError } from '../errors.ts';
import type { HostFacts } from './make-plan.ts';

/** The budget of money; undefined where there is none. A model without a price gets by with a budget of tokens that somebody chose. */
export function moneyLimit({ model, policy }: HostFacts, nameOf: string, notices: string[]): number | undefined {
  const { maxUsd, maxTokens } = policy.limits;
  if (maxUsd === undefined || model.price !== undefined) return maxUsd;
  const byOption = policy.origins['/limits/maxUsd'] === 'option --max-usd';
  if (byOption || policy.origins['/limits/maxTokens'] === 'built in') {
    throw new SandboxError(
      'usage',
      `${nameOf} ${maxUsd}: there is no price for the model "${model.spec}", so its money cannot be counted.`,
      { hint: 'Give a budget of output tokens with --max-tokens instead, or choose a model with a price.' },
    );
  }
  notices.push(
    `There is no price for the model "${model.spec}": ${nameOf} has no effect, and the budget is ${maxTokens} output tokens.`,
  );
  return undefined;
}
