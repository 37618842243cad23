import { setTimeout as delay } from 'node:timers/promises';
import type { AssistantMessage, AssistantMessageEvent, Message } from '@earendil-works/pi-ai';
import type { CallOptions, ModelSource } from '../../src/gateway/model-source.ts';
import { Scrubber } from '../../src/gateway/scrub.ts';

/** How the provider treats one call. */
export interface Behaviour {
  /** Part of the granted output that it uses, and of the most input that the conversation can have. */
  readonly output: number;
  readonly input: number;
  /** Before each piece, milliseconds. */
  readonly slowness: number;
  /** Whether it says what it took. */
  readonly reports: boolean;
}

/** Billionths of a dollar for a token. */
const INPUT_NANOS = 3_000;
const WRITE_NANOS = 3_750;
const OUTPUT_NANOS = 15_000;
const PIECES = 5;
const TOKEN = 'word';

/** A provider that keeps its own count of what it takes, in whole billionths of a dollar. */
export class MeteredSource implements ModelSource {
  readonly model = {
    spec: 'test/metered',
    provider: 'test',
    id: 'metered',
    name: 'metered',
    api: 'test-api',
    reasoning: false,
    input: ['text' as const],
    contextWindow: 128_000,
    maxTokens: 2_000,
    price: { input: INPUT_NANOS / 1_000, output: OUTPUT_NANOS / 1_000 },
  };
  readonly identity = { provider: 'test', api: 'test-api', model: 'metered' };
  readonly scrubber = new Scrubber([]);
  readonly #behaviour: () => Behaviour;
  calls = 0;
  /** What it took, and the most that it was owed at any time had all open calls used what they were granted. */
  taken = 0;

  constructor(behaviour: () => Behaviour) {
    this.#behaviour = behaviour;
  }

  async *stream(
    messages: readonly Message[],
    { maxTokens = 0 }: CallOptions,
    signal: AbortSignal,
  ): AsyncGenerator<AssistantMessageEvent> {
    this.calls++;
    const { output, input, slowness, reports } = this.#behaviour();
    const bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
    const cacheWrite = Math.floor(bytes * input);
    const tokens = Math.max(1, Math.floor(maxTokens * output));
    this.taken += cacheWrite * WRITE_NANOS;
    const message = emptyMessage();
    const block = { type: 'text' as const, text: '' };
    message.content.push(block);
    yield { type: 'text_start', contentIndex: 0, partial: message };
    let said = 0;
    for (let piece = 1; piece <= PIECES; piece++) {
      await delay(slowness);
      if (signal.aborted) return;
      const next = Math.floor((tokens * piece) / PIECES) - said;
      said += next;
      this.taken += next * OUTPUT_NANOS;
      const delta = TOKEN.repeat(next);
      block.text += delta;
      yield { type: 'text_delta', contentIndex: 0, delta, partial: message };
    }
    yield { type: 'text_end', contentIndex: 0, content: block.text, partial: message };
    if (reports) {
      const total = this.price({ input: 0, output: tokens, cacheRead: 0, cacheWrite });
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total };
      message.usage = { input: 0, output: tokens, cacheRead: 0, cacheWrite, totalTokens: tokens + cacheWrite, cost };
    }
    yield { type: 'done', reason: 'stop', message: { ...message, stopReason: 'stop' } };
  }

  price({ input, output, cacheWrite }: Parameters<ModelSource['price']>[0]): number {
    return (input * INPUT_NANOS + cacheWrite * WRITE_NANOS + output * OUTPUT_NANOS) / 1e9;
  }

  worstPrice({ input, output }: Parameters<ModelSource['worstPrice']>[0]): number {
    return (input * WRITE_NANOS + output * OUTPUT_NANOS) / 1e9;
  }
}

function emptyMessage(): AssistantMessage {
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: 'assistant',
    content: [],
    ...{ provider: 'test', api: 'test-api', model: 'metered', stopReason: 'pending', timestamp: 1 },
    usage: { ...nothing, totalTokens: 0, cost: { ...nothing, total: 0 } },
  };
}
