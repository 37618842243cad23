import { createHash } from 'node:crypto';
import type { Message } from '@earendil-works/pi-ai';

/** Most tokens that a provider counts for one image; pi scales them to 2000 x 2000. */
const TOKENS_PER_IMAGE = 10_000;
/** What providers add to a request by themselves, for the use of tools for example, tokens. */
const PROVIDER_TOKENS = 1_024;
/** Conversations whose size is remembered. */
const MAX_KNOWN = 256;

/** How large a conversation can be at most. */
export interface BoundedInput {
  readonly tokens: number;
  /** Stands for the conversation: equal for equal ones. */
  readonly key: string;
}

/**
 * Most input tokens of a conversation, before anybody has counted it. No tokenizer makes more than one token of a byte, so new
 * text counts by its bytes; the part that an earlier call had sent counts as what the provider said it was.
 */
export class InputBound {
  /** Tokens of conversations that were counted by the provider, oldest first. */
  readonly #known = new Map<string, number>();

  of(messages: readonly Message[]): BoundedInput {
    let key = '';
    let tokens = PROVIDER_TOKENS;
    for (const message of messages) {
      const json = JSON.stringify(message);
      key = createHash('sha256').update(key).update(json).digest('base64');
      const images = imagesOf(message);
      const imageBytes = images.reduce((sum, data) => sum + data.length, 0);
      tokens = this.#known.get(key) ?? tokens + Buffer.byteLength(json) - imageBytes + images.length * TOKENS_PER_IMAGE;
    }
    return { tokens, key };
  }

  /** The provider has counted a conversation. */
  learn(key: string, tokens: number): void {
    this.#known.delete(key);
    this.#known.set(key, tokens);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Base64 of its images. */
function imagesOf({ role, content }: Message): string[] {
  if (role !== 'user' && role !== 'toolResult') return [];
  if (typeof content === 'string') return [];
  return content.flatMap((block) => (block.type === 'image' ? [block.data] : []));
}
