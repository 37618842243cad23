import type { Api, Model, SimpleStreamOptions, ThinkingLevel } from '@earendil-works/pi-ai';
import type { PlannedModel } from '../protocol/model.ts';

/** OpenAI refuses to be asked for fewer output tokens, so pi-ai asks for these. */
const LEAST_OUTPUT = 16;
/** Least thinking that Anthropic can be asked for, and least answer that pi-ai leaves beside it, tokens. */
const LEAST_THINKING = 1_024;
/** What pi-ai lets a model think by level, tokens; levels above think as `high`. */
const THINKING: Partial<Record<ThinkingLevel, number>> = { minimal: 1_024, low: 2_048, medium: 8_192 };
const HIGH_THINKING = 16_384;

/**
 * How pi-ai is told how much a model may say. For models with a budget for thinking pi-ai would ask for it on top of what was
 * granted; here both share that. Where there is no room for the least thinking there is none.
 */
export function outputOptions(
  model: Model<Api>,
  granted: number | undefined,
  reasoning: ThinkingLevel | undefined,
): Pick<SimpleStreamOptions, 'maxTokens' | 'reasoning' | 'thinkingBudgets'> {
  if (granted === undefined) return reasoning === undefined ? {} : { reasoning };
  if (reasoning === undefined) return { maxTokens: granted };
  if (!addsThinking(model)) return { maxTokens: granted, reasoning };
  const room = granted - LEAST_THINKING;
  if (room < LEAST_THINKING) return { maxTokens: granted };
  const budget = Math.min(THINKING[reasoning] ?? HIGH_THINKING, room);
  return {
    maxTokens: granted - budget,
    reasoning,
    thinkingBudgets: { minimal: budget, low: budget, medium: budget, high: budget },
  };
}

function addsThinking({ api, compat }: Model<Api>): boolean {
  if (api === 'bedrock-converse-stream') return true;
  return (
    api === 'anthropic-messages' &&
    !(compat !== undefined && 'forceAdaptiveThinking' in compat && compat.forceAdaptiveThinking === true)
  );
}

/** Most that a call can cost, US dollars at list price: all input at the dearest rate of any size that it may have. */
export function worstPrice(model: Model<Api>, { input, output }: { input: number; output: number }): number {
  const { cost } = model;
  const rates = [cost, ...(cost.tiers ?? []).filter(({ inputTokensAbove }) => input > inputTokensAbove)];
  const inputRate = Math.max(...rates.map((rate) => Math.max(rate.input, rate.cacheRead, rate.cacheWrite)));
  const outputRate = Math.max(...rates.map((rate) => rate.output));
  return (input * inputRate + mostOutput(model, output) * outputRate) / 1_000_000;
}

/** Output tokens of a call that is granted so many. Some endpoints cannot be told a limit. */
function mostOutput({ compat, maxTokens }: Model<Api>, granted: number): number {
  const unlimited =
    compat !== undefined && 'supportsMaxOutputTokens' in compat && compat.supportsMaxOutputTokens === false;
  return unlimited ? Math.max(granted, maxTokens) : Math.max(granted, LEAST_OUTPUT);
}

/** A price of nothing is one that pi-ai does not know: it says 0 for both. */
export function plannedPrice({ cost }: Model<Api>): Pick<PlannedModel, 'price'> {
  return cost.input > 0 || cost.output > 0 ? { price: { input: cost.input, output: cost.output } } : {};
}
