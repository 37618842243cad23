import type { AssistantMessage, Usage } from '@earendil-works/pi-ai';
import type { LedgerUsage } from '../protocol/ledger.ts';
import type { ModelSource } from './model-source.ts';

/** Rule of thumb for calls whose provider reported nothing. */
const BYTES_PER_TOKEN = 4;

/**
 * What a call is charged. A provider that reports no tokens although it answered, or was cut off before it could, is
 * charged an estimate from sizes; `estimated` says so.
 */
export function settledUsage(message: AssistantMessage, requestBytes: number, source: ModelSource): LedgerUsage {
  const { usage, stopReason } = message;
  const reported = tokensOf(usage);
  const inputKnown = reported.input + reported.cacheRead + reported.cacheWrite > 0;
  const saidTokens = Math.ceil(saidBytes(message) / BYTES_PER_TOKEN);
  // Anthropic reports the input first and the output last, so an answer that broke off has a first number only.
  const brokeOff = stopReason === 'error' || stopReason === 'aborted';
  const outputKnown = saidTokens === 0 || (reported.output > 0 && !(brokeOff && reported.output < saidTokens));
  if (outputKnown && (inputKnown || saidTokens === 0)) return { ...reported, costUsd: Math.max(0, usage.cost.total) };
  const tokens = {
    ...reported,
    ...(inputKnown ? {} : { input: Math.ceil(requestBytes / BYTES_PER_TOKEN) }),
    ...(outputKnown ? {} : { output: saidTokens }),
  };
  return { ...tokens, costUsd: source.price(tokens), estimated: true };
}

function tokensOf(usage: Usage): Omit<LedgerUsage, 'costUsd' | 'estimated'> {
  return {
    input: whole(usage.input),
    output: whole(usage.output),
    cacheRead: whole(usage.cacheRead),
    cacheWrite: whole(usage.cacheWrite),
  };
}

/** Providers have reported fractions and negative differences. */
function whole(tokens: number): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0;
}

function saidBytes(message: AssistantMessage): number {
  return message.content.reduce((sum, block) => {
    if (block.type === 'text') return sum + Buffer.byteLength(block.text);
    if (block.type === 'thinking') return sum + Buffer.byteLength(block.thinking);
    return sum + Buffer.byteLength(JSON.stringify(block.arguments)) + block.name.length;
  }, 0);
}
