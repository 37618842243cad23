import type { SandboxRecord } from '../protocol/record.ts';
import type { Delta, Renderer } from './render.ts';

/** Longest time that what the gateway saw waits for pi's stream, milliseconds. Some calls (compaction) have no message of pi. */
const HOLD_MS = 150;
/** What may wait at most; beyond it everything is shown as it comes. */
const MAX_HELD = 10_000;

/**
 * Puts two streams of one run into the order in which they happened. The gateway sees a model call before the tool
 * results that led to it have come through pi's slower stream; shown as they arrive, the model would seem to
 * speak before its tools were done. What belongs to a call waits until pi says that its message has started.
 */
export class InOrder {
  readonly #renderer: Pick<Renderer, 'record' | 'delta' | 'close'>;
  /** Calls whose message of pi has not started, oldest first. */
  #calls: Call[] = [];
  #held = 0;
  /** Calls that were shown without their message; it may still come and then stands for none of those that wait. */
  #late = 0;

  constructor(renderer: Pick<Renderer, 'record' | 'delta' | 'close'>) {
    this.#renderer = renderer;
  }

  record(record: SandboxRecord): void {
    const show = (): void => this.#renderer.record(record);
    if (record.type === 'gateway.request') this.#begin();
    if (record.type === 'outcome') this.release();
    if (record.type.startsWith('gateway.')) this.#inTurn(show);
    else show();
    if (isEvent(record, 'agent_start')) this.#late = 0;
    if (isEvent(record, 'message_start', 'assistant')) this.#messageStarted();
  }

  delta(delta: Delta): void {
    this.#inTurn(() => this.#renderer.delta(delta));
  }

  /** Shows what waits. */
  release(): void {
    while (this.#calls.length > 0) this.#showOldest();
  }

  /** Shows what waits and leaves the terminal as it should be. */
  close(): void {
    this.release();
    this.#renderer.close();
  }

  #begin(): void {
    const call: Call = { held: [], timer: setTimeout(() => this.#giveUpOn(call), HOLD_MS) };
    call.timer.unref();
    this.#calls.push(call);
  }

  #messageStarted(): void {
    if (this.#late > 0) this.#late--;
    else this.#showOldest();
  }

  #giveUpOn(call: Call): void {
    while (this.#calls.includes(call)) {
      this.#late++;
      this.#showOldest();
    }
  }

  #showOldest(): void {
    const call = this.#calls.shift();
    if (call === undefined) return;
    clearTimeout(call.timer);
    this.#held -= call.held.length;
    for (const show of call.held) show();
  }

  #inTurn(show: () => void): void {
    if (this.#held >= MAX_HELD) this.release();
    const call = this.#calls.at(-1);
    if (call === undefined) {
      show();
      return;
    }
    call.held.push(show);
    this.#held++;
  }
}

/** What the gateway saw of one model call, in the order in which it is to be shown. */
interface Call {
  readonly held: (() => void)[];
  readonly timer: NodeJS.Timeout;
}

function isEvent(record: SandboxRecord, type: string, role?: string): boolean {
  if (record.type !== 'pi') return false;
  const event = record['event'] as { type?: unknown; message?: { role?: unknown } } | null;
  return event?.type === type && (role === undefined || event.message?.role === role);
}
