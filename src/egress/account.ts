import type { Authority } from '../lib/authority.ts';
import { EgressTally } from '../lib/egress-tally.ts';
import type { EgressEndEntry, EgressEntry, EgressSums } from '../protocol/network.ts';
import type { EgressOptions } from './options.ts';
import type { EgressRefusal } from './refusal.ts';

/** Longest host in ledger and records, characters. */
const MAX_HOST_CHARS = 253;

export type EgressMethod = 'connect' | 'http';

type Decided = Omit<EgressEntry, 'v' | 'entry' | 'time' | 'run'>;

/** A line could not be written: nothing may be answered. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

/** Keeps the books of a run's attempts: a line in the ledger and a record for each, before it is answered, and the sums. */
export class EgressAccount {
  readonly #options: EgressOptions;
  readonly #tally = new EgressTally();
  #attempts = 0;

  constructor(options: EgressOptions) {
    this.#options = options;
  }

  get sums(): EgressSums {
    return this.#tally.sums;
  }

  /** The number of a new attempt, or undefined when there were too many: then nothing is answered, nor written down. */
  begin(): number | undefined {
    const { plan, record } = this.#options;
    const { attempts } = plan.limits;
    if (this.#attempts < attempts) return ++this.#attempts;
    if (this.#attempts === attempts) {
      this.#attempts++;
      const message = `programs inside tried to connect more than ${attempts} times; what comes now is not answered`;
      record({ source: 'observed', type: 'egress.limit', limit: 'attempts', message });
    }
    return undefined;
  }

  refused(attempt: number, method: EgressMethod, target: Authority | undefined, refusal: EgressRefusal): void {
    const { code, rule, message } = refusal;
    this.#keep({ attempt, method, ...placeOf(target), decision: 'refuse', rule, code }, { message });
  }

  allowed(attempt: number, method: EgressMethod, target: Authority, found: { rule: string; address: string }): void {
    this.#keep({ attempt, method, ...placeOf(target), decision: 'allow', code: 'allowed', ...found }, {});
  }

  /** Never throws: the bytes have gone. That it could not be written ends the run. */
  ended(attempt: number, end: Pick<EgressEndEntry, 'code' | 'address' | 'sent' | 'received' | 'durationMs'>): void {
    const { run, ledger, record } = this.#options;
    const entry: EgressEndEntry = { v: 1, entry: 'egress_end', time: this.#time(), run, attempt, ...end };
    this.#tally.add(entry);
    try {
      ledger(entry);
    } catch (error) {
      this.#options.onFailure(error);
    }
    record({ source: 'observed', type: 'egress.end', attempt, ...end });
  }

  #keep(kept: Decided, more: { readonly message?: string }): void {
    const { run, ledger, record } = this.#options;
    const entry: EgressEntry = { v: 1, entry: 'egress', time: this.#time(), run, ...kept };
    this.#tally.add(entry);
    try {
      ledger(entry);
    } catch (error) {
      this.#options.onFailure(error);
      throw new NotKept('the ledger cannot be written', { cause: error });
    }
    record({ source: 'observed', type: 'egress', ...kept, ...more });
  }

  #time(): string {
    return new Date(this.#options.now?.() ?? Date.now()).toISOString();
  }
}

function placeOf(target: Authority | undefined): { host?: string; port?: number } {
  return target === undefined ? {} : { host: target.host.slice(0, MAX_HOST_CHARS), port: target.port };
}
