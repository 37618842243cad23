import type { AssistantMessage, Usage } from '@earendil-works/pi-ai';
import { nanoUsd, usdOf } from '../lib/money.ts';
import type { LedgerUsage } from '../protocol/ledger.ts';
import type { Reservation } from './budget.ts';
import type { ModelSource } from './model-source.ts';

/** Rule of thumb for what a provider did not count. */
const BYTES_PER_TOKEN = 4;
/** For what broke off: the text is taken as dense, since the provider has said more than arrived. */
const DENSE_BYTES_PER_TOKEN = 2;
/** A model whose thinking does not show is taken to have thought at this speed until it was cut off. */
const TOKENS_PER_SECOND = 100;

/** What is known of a call beside its answer. */
export interface CallFacts {
  readonly requestBytes: number;
  readonly reserved: Reservation;
  /** Most input tokens; known where money is counted. */
  readonly inputTokens?: number | undefined;
  /** Time in which the provider may have worked on it, milliseconds. */
  readonly workedMs: number;
}

type Tokens = Omit<LedgerUsage, 'costUsd' | 'estimated'>;

/**
 * What a call is charged: what the provider reported, where it did. A call that failed before it said anything costs nothing
 * else. What broke off is estimated from length and time, and a whole answer that nobody counted costs what was reserved for
 * it where money is counted; `estimated` says so.
 */
export function settledUsage(message: AssistantMessage, facts: CallFacts, source: ModelSource): LedgerUsage {
  const { usage, stopReason } = message;
  const reported = tokensOf(usage);
  const said = saidBytes(message);
  const brokeOff = stopReason === 'error' || stopReason === 'aborted';
  const inputKnown = reported.input + reported.cacheRead + reported.cacheWrite > 0;
  const outputKnown = brokeOff ? coversBroken(reported.output, said) : reported.output > 0 || said === 0;
  const nothingSaid = stopReason === 'error' && said === 0;
  if (nothingSaid || (inputKnown && outputKnown)) return { ...reported, costUsd: whole(usage.cost.total) };

  const { inputTokens, reserved, requestBytes } = facts;
  const output = brokeOff ? brokenOutput(said, facts, source) : wholeOutput(said, facts);
  const tokens = {
    ...reported,
    ...(inputKnown ? {} : { input: inputTokens ?? Math.ceil(requestBytes / BYTES_PER_TOKEN) }),
    ...(outputKnown ? {} : { output }),
  };
  const uncounted = inputTokens !== undefined && !brokeOff && !inputKnown;
  return { ...tokens, costUsd: uncounted ? reserved.usd : whole(source.price(tokens)), estimated: true };
}

/** Anthropic reports the input first and the output last, so an answer that broke off has a first number only. */
function coversBroken(reportedOutput: number, said: number): boolean {
  return reportedOutput > 1 && reportedOutput * BYTES_PER_TOKEN >= said;
}

function brokenOutput(said: number, { reserved, workedMs }: CallFacts, { model }: ModelSource): number {
  const thought = model.reasoning ? (Math.max(0, workedMs) / 1_000) * TOKENS_PER_SECOND : 0;
  return Math.min(reserved.tokens, Math.ceil(said / DENSE_BYTES_PER_TOKEN + thought));
}

function wholeOutput(said: number, { reserved, inputTokens }: CallFacts): number {
  return inputTokens === undefined ? Math.ceil(said / BYTES_PER_TOKEN) : reserved.tokens;
}

function tokensOf(usage: Usage): Tokens {
  return {
    input: wholeTokens(usage.input),
    output: wholeTokens(usage.output),
    cacheRead: wholeTokens(usage.cacheRead),
    cacheWrite: wholeTokens(usage.cacheWrite),
  };
}

/** Providers have reported fractions and negative differences. */
function wholeTokens(tokens: number): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0;
}

/** US dollars in whole billionths, so that sums are exact. */
function whole(usd: number): number {
  return Number.isFinite(usd) ? usdOf(Math.max(0, nanoUsd(usd))) : 0;
}

function saidBytes(message: AssistantMessage): number {
  return message.content.reduce((sum, block) => {
    if (block.type === 'text') return sum + Buffer.byteLength(block.text);
    if (block.type === 'thinking') return sum + Buffer.byteLength(block.thinking);
    return sum + Buffer.byteLength(JSON.stringify(block.arguments)) + block.name.length;
  }, 0);
}
