import { createHash } from 'node:crypto';
import type { Message } from '@earendil-works/pi-ai';
import { conversationOf } from './conversation.ts';
import { declaredTools, toolDifference } from './declared-tools.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { CallOptions, ModelSource } from './model-source.ts';
import { type RedactionCounts, RequestRedactor } from './redact-request.ts';
import { RefusedRequest } from './refusal.ts';
import { parseRequest } from './request-parse.ts';
import type { MessagesRequest } from './request-schema.ts';

/** A request that may go to the provider. */
export interface Admitted {
  readonly messages: readonly Message[];
  /** What was taken out of them. */
  readonly redacted: RedactionCounts;
  readonly options: Pick<CallOptions, 'temperature' | 'reasoning' | 'toolChoice' | 'cacheRetention'>;
  /** Output tokens that the container asks for. */
  readonly wantedTokens: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Thrown when pi declares other tools than planned; `detail` names them and is not for the container. */
export class OtherTools extends RefusedRequest {
  readonly detail: string;

  constructor(detail: string) {
    super(403, 'tools', 'The declared tools are not the planned ones.');
    this.detail = detail;
  }
}

type AdmissionOptions = Pick<GatewayOptions, 'source' | 'tools' | 'reachableTools' | 'redaction'>;

/** Checks bodies of one run against its plan. */
export class Admission {
  readonly #source: ModelSource;
  readonly #tools: readonly string[];
  readonly #reachable: readonly string[];
  readonly #redactor: RequestRedactor | undefined;
  #declared = false;

  constructor({ source, tools, reachableTools = [], redaction }: AdmissionOptions) {
    this.#source = source;
    this.#tools = tools;
    this.#reachable = reachableTools;
    this.#redactor = redaction && new RequestRedactor(redaction);
  }

  /** Throws RefusedRequest. */
  admit(body: Buffer): Admitted {
    const request = parseRequest(body);
    const { model, identity } = this.#source;
    if (request.model !== model.id) throw new RefusedRequest(403, 'model', 'This is not the model of the run.');
    const messages = conversationOf(request, model.id, identity);
    this.#checkTools(declaredTools(messages));
    return {
      ...(this.#redactor?.take(messages) ?? { messages, redacted: {} }),
      options: optionsOf(request),
      wantedTokens: request.options?.maxTokens ?? model.maxTokens,
      bytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
    };
  }

  /** pi makes requests without any tools of its own, for the summary of a compaction, but never begins with one. */
  #checkTools(declared: readonly string[]): void {
    if (declared.length === 0 && this.#declared) return;
    const difference = toolDifference(declared, this.#tools, this.#reachable);
    if (difference !== undefined) throw new OtherTools(difference);
    this.#declared = true;
  }
}

/** `null` stands for absent. A cache that is kept for an hour costs extra, which is not for the container to decide. */
function optionsOf({ options }: MessagesRequest): Admitted['options'] {
  const { temperature, reasoning, toolChoice, cacheRetention } = options ?? {};
  return {
    ...(temperature == null ? {} : { temperature }),
    ...(reasoning == null ? {} : { reasoning }),
    ...(toolChoice == null ? {} : { toolChoice }),
    ...(cacheRetention == null ? {} : { cacheRetention: cacheRetention === 'none' ? 'none' : 'short' }),
  };
}
