import { randomUUID } from 'node:crypto';
import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  Message,
  Model,
  ThinkingLevel,
} from '@earendil-works/pi-ai';
import { calculateCost, type Models } from '@earendil-works/pi-ai/models';
import type { PlannedModel } from '../protocol/model.ts';
import { SaidBound } from './answer-bounds.ts';
import type { ModelIdentity } from './conversation.ts';
import type { CallOptions, ModelSource } from './model-source.ts';
import { outputOptions, plannedPrice, worstPrice } from './output-price.ts';
import { Scrubber } from './scrub.ts';
import { describeUpstreamError, type UpstreamFacts } from './upstream-error.ts';
import { UpstreamRoute, type UpstreamWay } from './upstream-fetch.ts';

/** The SDKs of providers give up after ten minutes unless told otherwise; the gateway's idle limit decides here. */
const SDK_TIMEOUT_MS = 24 * 3_600_000;

export interface PiAiSourceOptions {
  readonly spec: string;
  readonly models: Models;
  readonly model: Model<Api>;
  readonly secrets: readonly string[];
  /** Origin that the provider may be reached at; absent when it builds its address from settings. */
  readonly origin?: string | undefined;
  /** Names of headers that the credentials come in. */
  readonly headers?: readonly string[];
  readonly thinking?: string | undefined;
  readonly failure?: () => string | undefined;
  /** How the provider is reached from this host. */
  readonly way?: UpstreamWay;
  /** Says why there are no credentials for a call. */
  readonly trouble?: (message: string | undefined) => UpstreamFacts | undefined;
  /** See `ModelSource`. */
  readonly renew?: (signal?: AbortSignal) => Promise<void>;
  readonly settled?: () => Promise<void>;
  /** Knows the secrets already, and is told of later ones. */
  readonly scrubber?: Scrubber;
}

/** A model behind pi-ai: every provider, and the scripted one, is called in this one way. */
export class PiAiSource implements ModelSource {
  readonly model: PlannedModel;
  readonly identity: ModelIdentity;
  readonly scrubber: Scrubber;
  readonly failure: () => string | undefined;
  readonly renew: (signal?: AbortSignal) => Promise<void>;
  readonly settled: () => Promise<void>;
  readonly #trouble: PiAiSourceOptions['trouble'];
  readonly #models: Models;
  readonly #model: Model<Api>;
  readonly #thinking: string | undefined;
  readonly #route: UpstreamRoute;
  /** Keeps provider-side prompt caches together. Ours: the container's session id is not used. */
  readonly #session = randomUUID();

  constructor(options: PiAiSourceOptions) {
    const { model } = options;
    this.#models = options.models;
    this.#model = model;
    this.#thinking = options.thinking;
    const ownHeaders = [...Object.keys(model.headers ?? {}), ...(options.headers ?? [])];
    this.#route = new UpstreamRoute(options.origin, ownHeaders, options.way);
    this.scrubber = options.scrubber ?? new Scrubber([]);
    this.scrubber.add(options.secrets);
    this.#trouble = options.trouble;
    this.renew = options.renew ?? (async () => {});
    this.settled = options.settled ?? (async () => {});
    this.failure = options.failure ?? (() => undefined);
    this.identity = { provider: model.provider, api: model.api, model: model.id };
    this.model = {
      spec: options.spec,
      provider: model.provider,
      id: model.id,
      name: model.name,
      api: model.api,
      reasoning: model.reasoning,
      input: [...model.input],
      contextWindow: model.contextWindow,
      maxTokens: model.maxTokens,
      ...plannedPrice(model),
    };
  }

  async *stream(
    messages: readonly Message[],
    options: CallOptions,
    signal: AbortSignal,
  ): AsyncGenerator<AssistantMessageEvent> {
    const facts: UpstreamFacts = {};
    const onActivity = options.onActivity ?? (() => undefined);
    const cut = new AbortController();
    const bound = new SaidBound(options.maxTokens ?? this.#model.maxTokens);
    const reasoning = thinkingLevel(this.#thinking ?? options.reasoning);
    const events = this.#models.streamSimple(
      this.#model,
      { messages: [...messages] },
      {
        signal: AbortSignal.any([signal, cut.signal]),
        fetch: this.#route.fetchFor({ facts, onActivity }),
        sessionId: this.#session,
        // A thread kept at the provider would hold more than the request that was checked.
        disableContinuation: true,
        // A WebSocket would go past our fetch.
        transport: 'sse',
        cacheRetention: options.cacheRetention ?? 'short',
        maxRetries: 0,
        timeoutMs: SDK_TIMEOUT_MS,
        onResponse: ({ status }) => {
          facts.status ??= status;
        },
        onProviderStreamEvent: () => {
          onActivity();
          return options.pace?.();
        },
        ...outputOptions(this.#model, options.maxTokens, reasoning),
        ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
        ...(options.toolChoice === undefined ? {} : { toolChoice: options.toolChoice }),
      },
    );
    for await (const event of events) {
      onActivity();
      if ('partial' in event && bound.exceededBy(event)) {
        cut.abort();
        facts.tooLarge = true;
        yield failed({ ...event.partial, stopReason: 'error' }, facts);
        return;
      }
      if (event.type !== 'error' || event.reason === 'aborted') yield event;
      else
        yield failed(event.error, {
          ...facts,
          ...(facts.status === undefined && this.#trouble?.(event.error.errorMessage)),
        });
    }
  }

  price(usage: Parameters<ModelSource['price']>[0]): number {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    return calculateCost(this.#model, { ...usage, totalTokens: 0, cost }).total;
  }

  worstPrice(tokens: Parameters<ModelSource['worstPrice']>[0]): number {
    return worstPrice(this.#model, tokens);
  }

  close(): void {
    this.#route.close();
  }

  /** What is printed by accident holds no credentials. */
  toJSON(): unknown {
    return { model: this.model };
  }
}

function failed(message: AssistantMessage, facts: UpstreamFacts): AssistantMessageEvent {
  const { category, text } = describeUpstreamError(message, facts);
  return { type: 'error', reason: 'error', error: { ...message, errorMessage: text, rawStopReason: category } };
}

const LEVELS: readonly ThinkingLevel[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function thinkingLevel(level: string | undefined): ThinkingLevel | undefined {
  return LEVELS.find((known) => known === level);
}

/** Thinking levels as a user may write them. */
export const THINKING_LEVELS: readonly string[] = ['off', ...LEVELS];
