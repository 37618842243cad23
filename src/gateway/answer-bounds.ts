import { Transform } from 'node:stream';
import type { AssistantMessageEvent } from '@earendil-works/pi-ai';
import { KiB, MiB } from '../lib/bytes.ts';

/** Longest line of an answer, bytes after decompression: clients of providers join a line before they look at it. */
const MAX_LINE_BYTES = 16 * MiB;
/** Largest answer, bytes after decompression: 64,000 tokens with an event of 500 bytes for each. */
const MAX_ANSWER_BYTES = 32 * MiB;

/** What one granted token may say, bytes. Four are usual. */
const BYTES_PER_TOKEN = 16;
/** Said beyond that, bytes: pi-ai asks for up to 16,384 tokens of thinking on top of what was granted. */
const SLACK_BYTES = 256 * KiB;

/** Passes an answer on as far as its bounds. Calls `onCut` before its readers see the failure, `onPiece` for every piece. */
export function boundedAnswer(onPiece: () => void, onCut: () => void): Transform {
  let size = 0;
  let line = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      onPiece();
      size += piece.length;
      const end = piece.lastIndexOf('\n');
      line = end < 0 ? line + piece.length : piece.length - 1 - end;
      if (line <= MAX_LINE_BYTES && size <= MAX_ANSWER_BYTES) done(null, piece);
      else {
        onCut();
        done(new Error('the answer of the provider is too large'));
      }
    },
  });
}

/** Counts what an answer says: text, thinking and arguments of tools, in deltas or only at the end of their block. */
export class SaidBound {
  readonly #max: number;
  readonly #blocks = new Map<number, number>();
  #said = 0;

  constructor(grantedTokens: number) {
    this.#max = grantedTokens * BYTES_PER_TOKEN + SLACK_BYTES;
  }

  /** Whether the answer is, with this event, longer than its tokens can be. */
  exceededBy(event: AssistantMessageEvent): boolean {
    switch (event.type) {
      case 'text_start':
      case 'thinking_start':
      case 'toolcall_start':
        // A block is worth a token, so that there is no end of empty ones.
        this.#said += BYTES_PER_TOKEN;
        break;
      case 'text_delta':
      case 'thinking_delta':
      case 'toolcall_delta': {
        const bytes = Buffer.byteLength(event.delta);
        this.#said += bytes;
        this.#blocks.set(event.contentIndex, (this.#blocks.get(event.contentIndex) ?? 0) + bytes);
        break;
      }
      case 'text_end':
      case 'thinking_end':
        this.#whole(event.contentIndex, event.content);
        break;
      case 'toolcall_end':
        this.#whole(event.contentIndex, JSON.stringify(event.toolCall.arguments));
    }
    return this.#said > this.#max;
  }

  #whole(index: number, content: string): void {
    this.#said += Math.max(0, Buffer.byteLength(content) - (this.#blocks.get(index) ?? 0));
    this.#blocks.delete(index);
  }
}
