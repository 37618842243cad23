import { addUsd } from '../lib/money.ts';
import type { LedgerUsage } from '../protocol/ledger.ts';

/** Why a run cannot go on, or what its model keeps failing with. */
export interface GatewayFailure {
  /**
   * `limit`, `scenario`, `tools`, `bypass`, `secret` and `internal` end the run. `model` says that the provider refuses the credentials or
   * the model; pi gives up by itself then, and a later answer clears it.
   */
  readonly kind: 'limit' | 'scenario' | 'tools' | 'bypass' | 'secret' | 'model' | 'internal';
  /** The cap by its plan name, for example `gateway.requests`. */
  readonly limit?: string;
  readonly message: string;
}

/** What the gateway has seen of a run. All of it observed. */
export interface GatewayState {
  /** Calls that went to the provider. */
  readonly requests: number;
  readonly inFlight: number;
  /** Sums over all calls. */
  readonly usage: Omit<LedgerUsage, 'costUsd' | 'estimated'>;
  readonly costUsd: number;
  /** Whether any of it is an estimate. */
  readonly estimated: boolean;
  readonly refused: number;
  readonly lastStopReason?: string;
  /** Text of the last answer that had any, at most 64 KiB. */
  readonly lastAnswerText: string;
  readonly lastError?: string;
  readonly failure?: GatewayFailure;
  /** Milliseconds since the epoch. */
  readonly firstRequestAt?: number;
}

/** Live progress of an answer. */
export type GatewayDelta =
  | { readonly call: number; readonly type: 'start' }
  | { readonly call: number; readonly type: 'text' | 'thinking'; readonly delta: string }
  | { readonly call: number; readonly type: 'toolcall'; readonly id: string; readonly name: string }
  | { readonly call: number; readonly type: 'end'; readonly stopReason: string };

export class StateKeeper {
  #state: GatewayState = {
    requests: 0,
    inFlight: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    costUsd: 0,
    estimated: false,
    refused: 0,
    lastAnswerText: '',
  };

  get current(): GatewayState {
    return this.#state;
  }

  opened(now: number): number {
    const { requests, inFlight, firstRequestAt } = this.#state;
    this.#set({ requests: requests + 1, inFlight: inFlight + 1, firstRequestAt: firstRequestAt ?? now });
    return requests + 1;
  }

  closed(result: { stopReason: string; text: string; usage: LedgerUsage; error?: string | undefined }): void {
    const { usage, costUsd, inFlight, estimated } = this.#state;
    this.#set({
      inFlight: inFlight - 1,
      usage: {
        input: usage.input + result.usage.input,
        output: usage.output + result.usage.output,
        cacheRead: usage.cacheRead + result.usage.cacheRead,
        cacheWrite: usage.cacheWrite + result.usage.cacheWrite,
      },
      costUsd: addUsd(costUsd, result.usage.costUsd),
      estimated: estimated || result.usage.estimated === true,
      lastStopReason: result.stopReason,
      ...(result.text === '' ? {} : { lastAnswerText: result.text }),
      ...(result.error === undefined ? {} : { lastError: result.error }),
    });
    if (result.error === undefined && this.#state.failure?.kind === 'model') {
      const { failure: _cleared, ...rest } = this.#state;
      this.#state = rest;
    }
  }

  /** A call that ended without a ledger line. */
  abandoned(): void {
    this.#set({ inFlight: this.#state.inFlight - 1 });
  }

  refused(): number {
    this.#set({ refused: this.#state.refused + 1 });
    return this.#state.refused;
  }

  /** The first reason stays; only `model` gives way. Returns whether this one was taken. */
  failed(failure: GatewayFailure): boolean {
    const known = this.#state.failure;
    if (known !== undefined && known.kind !== 'model') return false;
    this.#set({ failure });
    return true;
  }

  #set(change: Partial<GatewayState>): void {
    this.#state = { ...this.#state, ...change };
  }
}
