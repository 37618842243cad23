import type { AssistantMessage, AssistantMessageEvent, Message } from '@earendil-works/pi-ai';
import { afterEach, beforeEach, vi } from 'vitest';
import type { ModelSource } from '../../src/gateway/model-source.ts';
import { Scrubber } from '../../src/gateway/scrub.ts';
import { askAsPi, type Harness, startGateway, systemMessage, userMessage } from './harness.ts';

/** A source that counts its calls and answers "ok", or whatever it is told. */
class FixedSource implements ModelSource {
  readonly model = {
    spec: 'test/fixed',
    provider: 'test',
    id: 'fixed',
    name: 'fixed',
    api: 'test-api',
    reasoning: false,
    input: ['text' as const],
    contextWindow: 128_000,
    maxTokens: 1_000,
  };
  readonly identity = { provider: 'test', api: 'test-api', model: 'fixed' };
  readonly scrubber = new Scrubber([]);
  readonly calls: { messages: readonly Message[]; maxTokens: number | undefined }[] = [];
  /** Each call waits for it. */
  gate: Promise<void> = Promise.resolve();
  outputTokens = 1;
  /** US dollars that so many output tokens cost at most. */
  worst: (output: number) => number = () => 0.5;
  stopReason: 'stop' | 'length' = 'stop';

  async *stream(
    messages: readonly Message[],
    options: { maxTokens?: number },
    signal: AbortSignal,
  ): AsyncGenerator<AssistantMessageEvent> {
    this.calls.push({ messages, maxTokens: options.maxTokens });
    await Promise.race([this.gate, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
    yield {
      type: 'done',
      reason: this.stopReason,
      message: {
        role: 'assistant',
        content: [],
        ...{ provider: 'test', api: 'test-api', model: 'fixed', stopReason: this.stopReason, timestamp: 1 },
        usage: { input: 10, output: this.outputTokens, cacheRead: 0, cacheWrite: 0, totalTokens: 11, cost },
      },
    };
  }

  price(): number {
    return 0;
  }

  worstPrice({ output }: { output: number }): number {
    return this.worst(output);
  }
}

export interface FixedGateway {
  readonly source: FixedSource;
  readonly harness: Harness;
  /** A new gateway with a new source, in place of the one before. */
  restart(options: Parameters<typeof startGateway>[1]): Promise<void>;
  /** The first call of a run, as pi makes it. */
  ask(messages?: readonly Message[]): Promise<AssistantMessage>;
}

/** Gives each test of a file a gateway of its own in front of a `FixedSource`. */
export function fixedGateway(): FixedGateway {
  let source: FixedSource;
  let harness: Harness;
  const start = async (options: Parameters<typeof startGateway>[1] = {}): Promise<void> => {
    source = new FixedSource();
    harness = await startGateway(source, options);
  };
  beforeEach(() => start());
  afterEach(async () => {
    vi.useRealTimers();
    await harness.close();
  });
  return {
    get source() {
      return source;
    },
    get harness() {
      return harness;
    },
    restart: async (options) => {
      await harness.close();
      await start(options);
    },
    ask: (messages = [systemMessage(), userMessage('hi')]) => askAsPi(harness, 'fixed', messages),
  };
}
