import type { AssistantMessage, Message } from '@earendil-works/pi-ai';
import type { LedgerUsage } from '../protocol/ledger.ts';
import type { Admitted } from './admission.ts';
import { Budget, LimitReached, type Reservation } from './budget.ts';
import { type BudgetNote, BudgetNotes } from './budget-notes.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type BoundedInput, InputBound } from './input-bound.ts';
import type { ModelSource } from './model-source.ts';
import { settledUsage } from './usage.ts';

/** A call that may be made: what it sends and what was set aside for it. */
export interface MeteredCall {
  /** With notes of ours. */
  readonly messages: readonly Message[];
  /** Notes that the model gets for the first time. */
  readonly added: readonly BudgetNote[];
  readonly reserved: Reservation;
  /** Absent where no money is counted. */
  readonly input?: BoundedInput;
  readonly requestBytes: number;
}

/** What a call came to. */
export interface Settled {
  readonly usage: LedgerUsage;
  /** The cap for which the answer was cut off. */
  readonly reached?: LimitReached;
}

type MeterOptions = Pick<GatewayOptions, 'source' | 'limits' | 'wallMs'>;

/** What a run may use, and what each call of it does. */
export class Meter {
  readonly budget: Budget;
  readonly #source: ModelSource;
  readonly #bound = new InputBound();
  readonly #notes: BudgetNotes;
  /** What the provider takes, compared with list prices, when that is more: some plans pay for speed. */
  #surcharge = 1;

  /** `startedAt` is the start of the run, in milliseconds since the epoch. */
  constructor({ source, limits, wallMs }: MeterOptions, startedAt: number) {
    this.#source = source;
    this.budget = new Budget(limits);
    this.#notes = new BudgetNotes(this.budget, wallMs === undefined ? undefined : { startedAt, ms: wallMs });
  }

  /** Sets aside what the call can use at most. Throws LimitReached. */
  open({ messages: sent, wantedTokens, bytes }: Admitted, now: number): MeteredCall {
    const { messages, added } = this.#notes.weave(sent, now);
    const input = this.budget.countsMoney ? this.#bound.of(messages) : undefined;
    const wanted = Math.min(wantedTokens, this.#source.model.maxTokens);
    const worst = (output: number): number => this.#worstUsd(input?.tokens ?? 0, output);
    const reserved = this.budget.reserve(wanted, worst);
    return { messages, added, reserved, requestBytes: bytes, ...(input === undefined ? {} : { input }) };
  }

  /** Puts what was really used in place of what was set aside. */
  close(call: MeteredCall, message: AssistantMessage, workedMs: number): Settled {
    const { reserved, requestBytes, input } = call;
    const facts = { requestBytes, reserved, inputTokens: input?.tokens, workedMs };
    const usage = settledUsage(message, facts, this.#source);
    this.budget.settle(reserved, usage);
    if (input !== undefined && usage.estimated !== true) this.#learn(input, usage);
    if (message.stopReason !== 'length' || reserved.loweredBy === undefined) return { usage };
    const text = `the answer was cut off after ${usage.output} output tokens, which was all that was left`;
    return { usage, reached: new LimitReached(reserved.loweredBy, text) };
  }

  #worstUsd(input: number, output: number): number {
    return this.#source.worstPrice({ input, output }) * this.#surcharge;
  }

  #learn({ key }: BoundedInput, { input, cacheRead, cacheWrite, output, costUsd }: LedgerUsage): void {
    const counted = input + cacheRead + cacheWrite;
    if (counted === 0) return;
    this.#bound.learn(key, counted);
    const list = this.#source.worstPrice({ input: counted, output });
    if (list > 0) this.#surcharge = Math.max(this.#surcharge, costUsd / list);
  }
}
