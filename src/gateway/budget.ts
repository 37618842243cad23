import type { GatewayLimits } from '../protocol/model.ts';

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

  /** Counts a call and reserves its output tokens. Returns how many it may ask for. */
  reserve(wanted: number): number {
    const { requests, outputTokens, outputTokensPerCall } = this.#limits;
    if (this.#requests >= requests) throw new LimitReached('requests', `more than ${requests} model calls in one run`);
    const left = outputTokens - this.#outputUsed - this.#outputReserved;
    if (left < 1) throw new LimitReached('outputTokens', `${outputTokens} output tokens are used up`);
    this.#requests++;
    const granted = Math.max(1, Math.min(Math.floor(wanted), outputTokensPerCall, left));
    this.#outputReserved += granted;
    return granted;
  }

  /** Replaces a reservation by what was really used. */
  settle(reserved: number, used: number): void {
    this.#outputReserved -= reserved;
    this.#outputUsed += used;
  }
}
