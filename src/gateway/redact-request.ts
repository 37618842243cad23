import type { AssistantMessage, Message } from '@earendil-works/pi-ai';
import type { RedactOptions, Redactor } from '../policy/redact/redactor.ts';
import type { Policy } from '../protocol/policy.ts';
import type { SecretSeenRecord } from '../protocol/secret-record.ts';
import { RedactedTexts } from './redacted-texts.ts';
import { RefusedRequest } from './refusal.ts';

export interface RequestRedaction {
  readonly redactor: Redactor;
  /** What happens when a secret of the user is in a request. */
  readonly ownSecrets: Policy['redaction']['ownSecrets'];
  /** Whether the user has said exactly this. It goes to the model as it is, but for the user's own secrets. */
  readonly isPrompt: (text: string) => boolean;
  readonly record: (record: SecretSeenRecord) => void;
}

/** Counts by what stands in the place of a secret. */
export type RedactionCounts = Readonly<Record<string, number>>;

/** Thrown where the policy lets no request with a secret of the user through. */
export class SecretInRequest extends RefusedRequest {
  /** For the user: names the secret and the place. */
  readonly detail: string;

  constructor(detail: string) {
    super(403, 'secret', 'The policy of this run lets no such request through; it is out of budget.');
    this.detail = detail;
  }
}

/**
 * Takes secrets out of a conversation before it goes to the provider. The same message comes out the same in every
 * request, so that the provider's cache of the conversation stays good.
 */
export class RequestRedactor {
  readonly #options: RequestRedaction;
  readonly #texts: RedactedTexts;
  readonly #told = new Set<string>();

  constructor(options: RequestRedaction) {
    this.#options = options;
    this.#texts = new RedactedTexts(options.redactor);
  }

  /** Throws SecretInRequest. */
  take(messages: readonly Message[]): { messages: Message[]; redacted: RedactionCounts } {
    const counts: Record<string, number> = {};
    const redacted = messages.map((message) => this.#message(message, counts));
    return { messages: redacted, redacted: counts };
  }

  #message(message: Message, counts: Record<string, number>): Message {
    const text: Redact = (value, options = {}) => {
      const found = this.#texts.redact(value, options);
      for (const { id, own } of found.findings) {
        counts[id] = (counts[id] ?? 0) + 1;
        if (own !== undefined) this.#seen(own, placeOf(message));
      }
      return found.text;
    };
    switch (message.role) {
      case 'system':
        return {
          ...message,
          content: contentOf(message.content, text),
          ...(message.sections === undefined ? {} : { sections: deep(message.sections, text) }),
          ...(message.toolsAdded === undefined ? {} : { toolsAdded: deep(message.toolsAdded, text) }),
        };
      case 'user':
        return {
          ...message,
          content: contentOf(message.content, (value) => text(value, { ownOnly: this.#options.isPrompt(value) })),
        };
      case 'toolResult':
        return { ...message, content: blocksOf(message.content, text) };
      case 'assistant':
        return { ...message, content: answerOf(message.content, (value) => text(value, { ownOnly: true })) };
    }
  }

  #seen(secret: string, where: string): void {
    const { ownSecrets, record } = this.#options;
    if (ownSecrets === 'off') return;
    const blocked = ownSecrets === 'block';
    const what = `${secret}, a secret of this machine, was about to go to the model (${where})`;
    if (!this.#told.has(secret)) {
      this.#told.add(secret);
      const message = `${what}; ${blocked ? 'the request was not made' : 'it was taken out'}`;
      record({
        source: 'observed',
        type: 'secret.seen',
        secret,
        where,
        action: blocked ? 'blocked' : 'redacted',
        message,
      });
    }
    if (blocked) throw new SecretInRequest(`${what}, and the policy forbids that (redaction.ownSecrets: block)`);
  }
}

type Redact = (value: string, options?: RedactOptions) => string;

function placeOf(message: Message): string {
  switch (message.role) {
    case 'system':
      return 'system prompt';
    case 'user':
      return 'message of the user';
    case 'toolResult':
      return `result of ${message.toolName.slice(0, MAX_TOOL_NAME)}`;
    case 'assistant':
      return 'answer of the model';
  }
}
const MAX_TOOL_NAME = 64;

function contentOf<T extends { type: string }>(content: string | T[], text: Redact): string | T[] {
  return typeof content === 'string' ? text(content) : blocksOf(content, text);
}

/** Images stay as they are. */
function blocksOf<T extends { type: string }>(blocks: readonly T[], text: Redact): T[] {
  return blocks.map((block) =>
    'text' in block && typeof block.text === 'string' ? { ...block, text: text(block.text) } : block,
  );
}

/** What the model has said stays as it is: signatures hang on it, and what it wrote into a file must match the file. */
function answerOf(content: AssistantMessage['content'], text: Redact): AssistantMessage['content'] {
  return content.flatMap((block): AssistantMessage['content'] => {
    switch (block.type) {
      case 'text':
        return [{ ...block, text: text(block.text) }];
      case 'thinking':
        // Signed thinking that was changed is refused by providers, thinking that is missing is not.
        return text(block.thinking) === block.thinking ? [block] : [];
      default:
        return [{ ...block, arguments: deep(block.arguments, text) }];
    }
  });
}

function deep<T>(value: T, text: Redact): T {
  return copy(value, text) as T;
}

function copy(value: unknown, text: Redact): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((inner) => copy(inner, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), copy(inner, text)]));
}
