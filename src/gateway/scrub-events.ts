import type { Scrubber, ScrubWindow } from './scrub.ts';
import type { WireEvent } from './wire-events.ts';

/** Scrubs the events of one answer. Deltas are held back as far as they could be the beginning of a secret. */
export class EventScrubber {
  readonly #scrubber: Scrubber;
  readonly #windows = new Map<number, ScrubWindow>();

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  /** What may go out for one event: nothing, the event, or a held rest in front of it. */
  push(event: WireEvent): WireEvent[] {
    switch (event.type) {
      case 'text_delta':
      case 'thinking_delta':
      case 'toolcall_delta': {
        const delta = this.#window(event.contentIndex).push(event.delta);
        return delta === '' ? [] : [{ ...event, delta }];
      }
      case 'text_end':
      case 'thinking_end':
      case 'toolcall_end': {
        const delta = this.#windows.get(event.contentIndex)?.end() ?? '';
        this.#windows.delete(event.contentIndex);
        const whole = this.#scrubber.deep(event);
        if (delta === '') return [whole];
        return [{ type: DELTA_OF[event.type], contentIndex: event.contentIndex, delta }, whole];
      }
      default:
        return [this.#scrubber.deep(event)];
    }
  }

  #window(index: number): ScrubWindow {
    const known = this.#windows.get(index);
    if (known !== undefined) return known;
    const window = this.#scrubber.window();
    this.#windows.set(index, window);
    return window;
  }
}

const DELTA_OF = { text_end: 'text_delta', thinking_end: 'thinking_delta', toolcall_end: 'toolcall_delta' } as const;
