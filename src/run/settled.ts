import type { GatewayState } from '../gateway/gateway.ts';
import type { NewRecord } from '../protocol/record.ts';

/**
 * Whether pi's word that it is done fits with what the gateway saw. While a call is answered, or after an answer that
 * asked for tools, pi has work left: then the word is somebody else's and is not acted upon. A request that was
 * refused since, or an abort of ours, are reasons for pi to stop after all.
 */
export class SettledCheck {
  #refusedSinceAnswer = false;
  readonly #state: () => GatewayState;
  readonly #aborted: () => boolean;

  constructor(state: () => GatewayState, aborted: () => boolean) {
    this.#state = state;
    this.#aborted = aborted;
  }

  /** Takes every record of the gateway. */
  take(record: NewRecord): void {
    if (record.type === 'gateway.response') this.#refusedSinceAnswer = false;
    if (record.type === 'gateway.refused' || record.type === 'gateway.limit') this.#refusedSinceAnswer = true;
  }

  mayBeSettled = (): boolean => {
    const { inFlight, lastStopReason } = this.#state();
    if (this.#aborted() || this.#refusedSinceAnswer) return true;
    return inFlight === 0 && lastStopReason !== 'toolUse';
  };
}
