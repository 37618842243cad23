import type { AssistantMessage, AssistantMessageEvent, Message } from '@earendil-works/pi-ai';
import { IdleWatch } from './idle-watch.ts';
import type { CallOptions, ModelSource } from './model-source.ts';
import { EventScrubber } from './scrub-events.ts';
import type { SseAnswer } from './sse-answer.ts';
import { type WireEvent, wireEvent } from './wire-events.ts';

/** A provider that was told to stop gets this long to say how far it came, milliseconds. */
const ABORT_GRACE_MS = 2_000;

/** The reason with which a call is aborted when its provider went silent. */
export class ProviderIdle extends Error {
  override readonly name = 'ProviderIdle';
}

export interface Call {
  readonly source: ModelSource;
  readonly messages: readonly Message[];
  readonly options: Pick<CallOptions, 'maxTokens' | 'temperature' | 'reasoning' | 'toolChoice' | 'cacheRetention'>;
  /** Time without any byte from the provider, milliseconds. */
  readonly idleMs: number;
  readonly answer: SseAnswer;
  readonly abort: AbortController;
  /** Begun when the provider has been asked, and over before the first event goes out. */
  readonly ready?: () => Promise<void> | undefined;
  /** Sees each event as it goes out. */
  readonly onEvent: (event: WireEvent) => void;
}

/**
 * Streams one answer from the provider to the container and returns how it ended, without having sent the end.
 * Never rejects: whatever happens becomes a message with stop reason `error` or `aborted`.
 */
export async function streamAnswer(call: Call): Promise<AssistantMessage> {
  const { source, answer, abort } = call;
  const idle = new IdleWatch(call.idleMs, () =>
    abort.abort(new ProviderIdle(`nothing came from the provider for ${call.idleMs} ms`)),
  );
  // Waiting for the container must not count as silence of the provider.
  const pace = (): Promise<void> => idle.without(answer.ready());
  const scrubbed = new EventScrubber(source.scrubber);
  const ready = new Promise<void>((resolve) => void setImmediate(resolve)).then(call.ready);
  // It may fail while nobody waits for it yet.
  ready.catch(() => {});
  let last: AssistantMessage | undefined;
  try {
    const options = { ...call.options, onActivity: () => idle.touch(), pace };
    for await (const event of untilAborted(source.stream(call.messages, options, abort.signal), abort.signal)) {
      if (event.type === 'done') return event.message;
      if (event.type === 'error') return abort.signal.aborted ? broken(source, event.error, 'aborted') : event.error;
      last = event.partial;
      await ready;
      for (const wire of scrubbed.push(wireEvent(event))) {
        call.onEvent(wire);
        if (!abort.signal.aborted) await idle.without(answer.send(wire));
      }
    }
  } catch (error) {
    if (!abort.signal.aborted) abort.abort(error);
  } finally {
    idle.stop();
  }
  if (abort.signal.aborted) return broken(source, last, 'aborted');
  return { ...broken(source, last, 'error'), errorMessage: 'Network error: the answer of the provider has no end.' };
}

/** The events of a stream; once aborted, only those of a short time of grace. */
async function* untilAborted(
  events: AsyncIterable<AssistantMessageEvent>,
  signal: AbortSignal,
): AsyncGenerator<AssistantMessageEvent> {
  const iterator = events[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    const start = (): void => {
      timer = setTimeout(() => resolve(undefined), ABORT_GRACE_MS);
    };
    if (signal.aborted) start();
    else signal.addEventListener('abort', start, { once: true });
  });
  try {
    while (true) {
      const next = await Promise.race([iterator.next(), tooLate]);
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: a provider that hangs would keep the call open.
    iterator.return?.().catch(() => undefined);
  }
}

function broken(
  source: ModelSource,
  partial: AssistantMessage | undefined,
  stopReason: 'error' | 'aborted',
): AssistantMessage {
  const { provider, api, model } = source.identity;
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: 'assistant',
    content: partial?.content ?? [],
    api,
    provider,
    model,
    usage: partial?.usage ?? { ...nothing, totalTokens: 0, cost: { ...nothing, total: 0 } },
    stopReason,
    timestamp: 0,
  };
}
