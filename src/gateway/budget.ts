import { formatCount, formatUsd } from '../lib/format.ts';
import { nanoUsd, usdOf } from '../lib/money.ts';
import type { GatewayLimits } from '../protocol/model.ts';

/** An answer that the money left allows fewer output tokens than this is of no use, and not paid for. */
const LEAST_ANSWER = 256;

/** A cap that was crossed, by its name in the plan. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
  /** For example `gateway.requests`. */
  readonly limit: string;

  constructor(field: keyof GatewayLimits, message: string) {
    super(message);
    this.limit = `gateway.${field}`;
  }
}

/** What one call may use, taken out of the run's caps until it is settled. */
export interface Reservation {
  /** Output tokens that it may ask for. */
  readonly tokens: number;
  /** Most that it can cost, US dollars; 0 where no money is counted. */
  readonly usd: number;
  /** The cap of the run for which it may ask for less than it would. */
  readonly loweredBy?: 'outputTokens' | 'costUsd';
}

/** What is left of a cap. */
export interface Left {
  readonly left: number;
  readonly of: number;
  /** Most that one call has used so far. */
  readonly perCall: number;
}

/**
 * What a run has used of its caps. Everything is counted before it is allowed, so that calls at the same time cannot
 * pass a cap together. Methods throw LimitReached.
 */
export class Budget {
  readonly #limits: GatewayLimits;
  #requests = 0;
  #open = 0;
  #bytes = 0;
  #outputUsed = 0;
  #outputReserved = 0;
  /** Money in billionths of a dollar. */
  #nanosUsed = 0;
  #nanosReserved = 0;
  #mostTokens = 0;
  #mostNanos = 0;

  constructor(limits: GatewayLimits) {
    this.#limits = limits;
  }

  /** Counts an exchange from the end of its headers to the end of its answer. Returns what ends it. */
  enter(): () => void {
    const { concurrentCalls } = this.#limits;
    if (this.#open >= concurrentCalls) {
      throw new LimitReached('concurrentCalls', `more than ${concurrentCalls} model calls at the same time`);
    }
    this.#open++;
    let open = true;
    return () => {
      if (open) this.#open--;
      open = false;
    };
  }

  countBytes(bytes: number): void {
    this.#bytes += bytes;
    const { totalRequestBytes } = this.#limits;
    if (this.#bytes > totalRequestBytes) {
      throw new LimitReached('totalRequestBytes', `more than ${totalRequestBytes} bytes of requests in one run`);
    }
  }

  /** Whether money is counted. */
  get countsMoney(): boolean {
    return this.#limits.costUsd !== undefined;
  }

  /** By name of the cap, what is left before the next call. */
  get left(): { requests: Left; outputTokens: Left; costUsd?: Left } {
    const { requests, outputTokens, costUsd } = this.#limits;
    return {
      requests: { left: requests - this.#requests, of: requests, perCall: 1 },
      outputTokens: { left: this.#tokensLeft(), of: outputTokens, perCall: this.#mostTokens },
      ...(costUsd === undefined
        ? {}
        : { costUsd: { left: usdOf(this.#nanosLeft(costUsd)), of: costUsd, perCall: usdOf(this.#mostNanos) } }),
    };
  }

  /**
   * Counts a call and reserves its output tokens and its money. `worstUsd` is what it costs at most with so many
   * output tokens, never less for more of them; it is asked where money is counted.
   */
  reserve(wanted: number, worstUsd: (tokens: number) => number): Reservation {
    const { requests, outputTokens, outputTokensPerCall, costUsd } = this.#limits;
    if (this.#requests >= requests)
      throw new LimitReached('requests', `more than ${requests} model calls in one run (--max-turns)`);
    const left = this.#tokensLeft();
    if (left < 1)
      throw new LimitReached('outputTokens', `${formatCount(outputTokens)} output tokens are used up (--max-tokens)`);
    const asked = Math.max(1, Math.min(Math.floor(wanted), outputTokensPerCall));
    const most = Math.min(asked, left);
    const worst = (tokens: number): number => Math.ceil(worstUsd(tokens) * 1e9);
    const tokens = costUsd === undefined ? most : this.#affordable(most, costUsd, worst);
    const nanos = costUsd === undefined ? 0 : worst(tokens);
    this.#requests++;
    this.#outputReserved += tokens;
    this.#nanosReserved += nanos;
    const loweredBy = tokens < most ? 'costUsd' : most < asked ? 'outputTokens' : undefined;
    return { tokens, usd: usdOf(nanos), ...(loweredBy === undefined ? {} : { loweredBy }) };
  }

  /** Replaces a reservation by what was really used. */
  settle(reserved: Reservation, used: { readonly output: number; readonly costUsd: number }): void {
    this.#outputReserved -= reserved.tokens;
    this.#outputUsed += used.output;
    this.#nanosReserved -= nanoUsd(reserved.usd);
    this.#nanosUsed += nanoUsd(used.costUsd);
    this.#mostTokens = Math.max(this.#mostTokens, used.output);
    this.#mostNanos = Math.max(this.#mostNanos, nanoUsd(used.costUsd));
  }

  #tokensLeft(): number {
    return this.#limits.outputTokens - this.#outputUsed - this.#outputReserved;
  }

  #nanosLeft(costUsd: number): number {
    return nanoUsd(costUsd) - this.#nanosUsed - this.#nanosReserved;
  }

  /** Most output tokens, up to `most`, whose worst cost the money left can pay. */
  #affordable(most: number, costUsd: number, worst: (tokens: number) => number): number {
    const left = this.#nanosLeft(costUsd);
    let low = Math.min(most, LEAST_ANSWER);
    if (worst(low) > left) throw new LimitReached('costUsd', this.#tooDear(costUsd, worst(low)));
    let high = most;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (worst(middle) <= left) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #tooDear(costUsd: number, nanos: number): string {
    const others =
      this.#nanosReserved > 0 ? `, ${formatUsd(usdOf(this.#nanosReserved))} set aside for other calls` : '';
    const used = `${formatUsd(usdOf(this.#nanosUsed))} of ${formatUsd(costUsd)} are used${others}`;
    return `${used}, and one more call could cost ${formatUsd(usdOf(nanos))} (--max-usd)`;
  }
}
