import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, AssistantMessage, Message, Model, SimpleStreamOptions } from '@earendil-works/pi-ai';
import { calculateCost } from '@earendil-works/pi-ai/models';
import { AssistantMessageEventStream } from '@earendil-works/pi-ai/utils/event-stream';
import { parseDuration } from '../lib/duration.ts';
import { offScript } from './scenario-check.ts';
import type { Script } from './scenario-file.ts';
import type { ScenarioTurn } from './scenario-schema.ts';

/** Characters of one delta. Fixed, so that two runs of a scenario send the same pieces. */
const CHUNK = 16;
/** The usual rule of thumb, for turns that state no usage. */
const CHARS_PER_TOKEN = 4;

/** Plays the turns of one script, one for each call, in order. */
export class ScenarioPlayer {
  readonly #script: Script;
  #next = 0;
  /** Set once the run has left the script. */
  failure: string | undefined;

  constructor(script: Script) {
    this.#script = script;
  }

  /** Answers one call, as a provider's implementation in pi-ai does: never throws, ends with `done` or `error`. */
  play(model: Model<Api>, messages: readonly Message[], options: SimpleStreamOptions): AssistantMessageEventStream {
    const stream = new AssistantMessageEventStream();
    const index = this.#next++;
    const message = emptyMessage(model);
    const fail = (errorMessage: string): void => {
      const reason = options.signal?.aborted ? 'aborted' : 'error';
      const error: AssistantMessage = { ...message, stopReason: reason, errorMessage };
      stream.push({ type: 'error', reason, error });
    };
    this.failure ??= offScript(this.#script, index, messages);
    const turn = this.#script.turns[index];
    // The full account is for the person; the container is only told that there is no point in trying again.
    if (this.failure !== undefined || turn === undefined) fail('The run left its script and is out of budget.');
    else this.#speak(stream, index, turn, message, model, messages, options).catch((error) => fail(String(error)));
    return stream;
  }

  async #speak(
    stream: AssistantMessageEventStream,
    index: number,
    turn: ScenarioTurn,
    message: AssistantMessage,
    model: Model<Api>,
    messages: readonly Message[],
    options: SimpleStreamOptions,
  ): Promise<void> {
    const delay = typeof turn.delay === 'string' ? (parseDuration(turn.delay) ?? 0) : (turn.delay ?? 0);
    if (delay > 0) await sleep(delay, undefined, { ...(options.signal ? { signal: options.signal } : {}) });
    await options.onResponse?.({ status: turn.error?.status ?? 200, headers: {} }, model);
    if (turn.error !== undefined) throw new Error(`${turn.error.status}: ${turn.error.message ?? 'scripted error'}`);
    stream.push({ type: 'start', partial: message });
    for (const [contentIndex, block] of blocksOf(turn, index).entries()) {
      message.content.push(emptyBlock(block));
      const emit = emitter(stream, message, contentIndex);
      emit.start(block);
      for (const delta of chunks(textOf(block))) {
        await this.#pace(delta, turn, model, options);
        emit.delta(block, delta);
      }
      message.content[contentIndex] = block;
      emit.end(block);
    }
    message.usage = usageOf(turn, message, messages, model);
    if (turn.cut) throw new Error('terminated: other side closed');
    const reason = turn.tools === undefined ? 'stop' : 'toolUse';
    message.stopReason = reason;
    stream.push({ type: 'done', reason, message });
  }

  async #pace(delta: string, turn: ScenarioTurn, model: Model<Api>, options: SimpleStreamOptions): Promise<void> {
    const { signal } = options;
    const tokens = delta.length / CHARS_PER_TOKEN;
    const wait = turn.tokensPerSecond === undefined ? 0 : (tokens / turn.tokensPerSecond) * 1000;
    if (wait > 0) await sleep(wait, undefined, { ...(signal ? { signal } : {}) });
    await options.onProviderStreamEvent?.(delta, model);
    signal?.throwIfAborted();
  }
}

type Block = AssistantMessage['content'][number];

function blocksOf(turn: ScenarioTurn, index: number): Block[] {
  const { thinking, thinkingSignature, text } = turn;
  return [
    ...(thinking === undefined
      ? []
      : [{ type: 'thinking' as const, thinking, ...(thinkingSignature === undefined ? {} : { thinkingSignature }) }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...(turn.tools ?? []).map((tool, position) => ({
      type: 'toolCall' as const,
      id: tool.id ?? `call_${index + 1}_${position + 1}`,
      name: tool.name,
      // The file was parsed from YAML, so it is JSON but for dates and the like, which this turns into text.
      arguments: JSON.parse(JSON.stringify(tool.arguments ?? {})),
    })),
  ];
}

function emptyBlock(block: Block): Block {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '' };
  return { type: 'toolCall', id: block.id, name: block.name, arguments: {} };
}

function textOf(block: Block): string {
  if (block.type === 'text') return block.text;
  return block.type === 'thinking' ? block.thinking : JSON.stringify(block.arguments);
}

/** pi-ai's names for the events of one block. */
function emitter(stream: AssistantMessageEventStream, partial: AssistantMessage, contentIndex: number) {
  const at = { contentIndex, partial };
  return {
    start(block: Block): void {
      if (block.type === 'text') stream.push({ type: 'text_start', ...at });
      else if (block.type === 'thinking') stream.push({ type: 'thinking_start', ...at });
      else stream.push({ type: 'toolcall_start', ...at });
    },
    delta(block: Block, delta: string): void {
      if (block.type === 'text') stream.push({ type: 'text_delta', delta, ...at });
      else if (block.type === 'thinking') stream.push({ type: 'thinking_delta', delta, ...at });
      else stream.push({ type: 'toolcall_delta', delta, ...at });
    },
    end(block: Block): void {
      if (block.type === 'text') stream.push({ type: 'text_end', content: block.text, ...at });
      else if (block.type === 'thinking') stream.push({ type: 'thinking_end', content: block.thinking, ...at });
      else stream.push({ type: 'toolcall_end', toolCall: block, ...at });
    },
  };
}

/** Pieces of CHUNK characters that never split a surrogate pair. */
function chunks(text: string): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += CHUNK) pieces.push(characters.slice(at, at + CHUNK).join(''));
  return pieces;
}

function usageOf(
  turn: ScenarioTurn,
  message: AssistantMessage,
  messages: readonly Message[],
  model: Model<Api>,
): AssistantMessage['usage'] {
  const said = message.content.reduce((sum, block) => sum + textOf(block).length, 0);
  const usage = {
    input: turn.usage?.input ?? Math.ceil(JSON.stringify(messages).length / CHARS_PER_TOKEN),
    output: turn.usage?.output ?? Math.ceil(said / CHARS_PER_TOKEN),
    cacheRead: turn.usage?.cacheRead ?? 0,
    cacheWrite: turn.usage?.cacheWrite ?? 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  usage.totalTokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  calculateCost(model, usage);
  return usage;
}

function emptyMessage(model: Model<Api>): AssistantMessage {
  return {
    role: 'assistant',
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'pending',
    timestamp: Date.now(),
  };
}
