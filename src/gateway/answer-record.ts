import { KiB } from '../lib/bytes.ts';
import type { WireEvent } from './wire-events.ts';

/** Answer text kept in a record, bytes. */
export const MAX_TEXT_BYTES = 64 * KiB;
/** Arguments of one tool call kept in a record, bytes of JSON. */
const MAX_ARGUMENTS_BYTES = 16 * KiB;
/** Tool calls of one answer kept in a record. */
const MAX_TOOL_CALLS = 128;

export interface RecordedToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model sent them; when longer than the cap, the beginning of their JSON as text. */
  readonly arguments: unknown;
  readonly argumentsTruncated?: true;
}

/** What an answer said, bounded, put together from the events that really went out. */
export class AnswerRecord {
  readonly toolCalls: RecordedToolCall[] = [];
  /** Tool calls, those beyond the cap included. */
  toolCallCount = 0;
  thinkingBytes = 0;
  #text = '';
  #textBytes = 0;

  add(event: WireEvent): void {
    if (event.type === 'text_end') this.#addText(event.content);
    else if (event.type === 'thinking_end') this.thinkingBytes += Buffer.byteLength(event.content);
    else if (event.type === 'toolcall_end') {
      this.toolCallCount++;
      if (this.toolCalls.length < MAX_TOOL_CALLS) this.toolCalls.push(bounded(event.toolCall));
    }
  }

  get text(): string {
    return this.#text;
  }

  /** Bytes that the cap left out of `text`. */
  get textOmitted(): number {
    return this.#textBytes - Buffer.byteLength(this.#text);
  }

  #addText(content: string): void {
    this.#textBytes += Buffer.byteLength(content);
    this.#text = cut(this.#text + content, MAX_TEXT_BYTES);
  }
}

function bounded(call: { id: string; name: string; arguments: unknown }): RecordedToolCall {
  const { id, name } = call;
  const json = JSON.stringify(call.arguments);
  if (Buffer.byteLength(json) <= MAX_ARGUMENTS_BYTES) return { id, name, arguments: call.arguments };
  return { id, name, arguments: cut(json, MAX_ARGUMENTS_BYTES), argumentsTruncated: true };
}

/** The beginning of a text that fits into `max` bytes, never ending inside a character. */
function cut(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  const bytes = Buffer.from(text);
  let end = max;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
