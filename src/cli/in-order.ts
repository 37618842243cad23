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
  #held: (() => void)[] = [];
  #waiting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(renderer: Pick<Renderer, 'record' | 'delta' | 'close'>) {
    this.#renderer = renderer;
  }

  record(record: SandboxRecord): void {
    const show = (): void => this.#renderer.record(record);
    if (record.type === 'gateway.request') this.#begin();
    if (record.type === 'outcome') this.release();
    if (record.type.startsWith('gateway.')) this.#inTurn(show);
    else show();
    if (startsAssistantMessage(record)) this.release();
  }

  delta(delta: Delta): void {
    this.#inTurn(() => this.#renderer.delta(delta));
  }

  /** Shows what waits. */
  release(): void {
    clearTimeout(this.#timer);
    this.#waiting = false;
    const held = this.#held;
    this.#held = [];
    for (const show of held) show();
  }

  /** Shows what waits and leaves the terminal as it should be. */
  close(): void {
    this.release();
    this.#renderer.close();
  }

  /** A new call: what came before it is in order by now. */
  #begin(): void {
    this.release();
    this.#waiting = true;
    this.#timer = setTimeout(() => this.release(), HOLD_MS);
    this.#timer.unref();
  }

  #inTurn(show: () => void): void {
    if (this.#waiting && this.#held.length < MAX_HELD) {
      this.#held.push(show);
      return;
    }
    if (this.#waiting) this.release();
    show();
  }
}

function startsAssistantMessage(record: SandboxRecord): boolean {
  if (record.type !== 'pi') return false;
  const event = record['event'] as { type?: unknown; message?: { role?: unknown } } | null;
  return event?.type === 'message_start' && event.message?.role === 'assistant';
}
