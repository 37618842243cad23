import { messageOf, SandboxError } from '../errors.ts';
import type { GatewayFailure, RunFacts, StopKind } from '../events/run-facts.ts';
import type { Interrupt } from './host.ts';

type Mutable<T> = { -readonly [K in keyof T]?: T[K] };

/**
 * Why a run has to end. One AbortController per run; the first reason of each kind is kept, and the order decides the
 * outcome.
 */
export class Stops {
  readonly #controller = new AbortController();
  readonly #facts: Mutable<Pick<RunFacts, 'signal' | 'failure' | 'limit'>> = {};
  readonly #order: StopKind[] = [];

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get facts(): Pick<RunFacts, 'signal' | 'failure' | 'limit' | 'order'> {
    return { ...this.#facts, order: this.#order };
  }

  interrupt(kind: Interrupt): void {
    this.#facts.signal ??= kind;
    this.#stop('signal');
  }

  limit(name: string, message: string): void {
    this.#facts.limit ??= { name, message };
    this.#stop('limit');
  }

  /** A fault of the sandbox, the engine or ours. What follows from a stop that is already under way is no news. */
  fail(error: unknown): void {
    if (this.signal.aborted) return;
    this.#facts.failure ??= {
      code: error instanceof SandboxError ? error.code : 'internal',
      message: messageOf(error),
    };
    this.#stop('failure');
  }

  gateway(failure: GatewayFailure): void {
    this.#stop('gateway', failure.message);
  }

  #stop(kind: StopKind, reason: string = kind): void {
    if (!this.#order.includes(kind)) this.#order.push(kind);
    this.#controller.abort(new Error(`stopped: ${reason}`));
  }
}
