import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Message } from '@earendil-works/pi-ai';
import type { GatePort } from './gate-port.ts';
import { PreparedArguments } from './prepared-arguments.ts';
import { RefusedRequest } from './refusal.ts';
import { readBody } from './request-body.ts';
import type { WireEvent } from './wire-events.ts';

/** Questions at the same time. pi asks one after the other; only nested calls come side by side. */
const MAX_OPEN = 16;

/** Thrown when a conversation shows that a call ran past the gate; `detail` is not for the container. */
export class GateBypassed extends RefusedRequest {
  readonly detail: string;

  constructor(detail: string) {
    super(403, 'bypass', 'The run has been stopped; it is out of budget.');
    this.detail = detail;
  }
}

/** The gateway's side of the gate: tells it what goes out and comes back, and carries its questions. */
export class GateDoor {
  readonly #port: GatePort;
  readonly #prepared: PreparedArguments;
  #open = 0;

  /** `reachableTools`: those that may be declared later. */
  constructor(port: GatePort, reachableTools?: readonly string[]) {
    this.#port = port;
    this.#prepared = new PreparedArguments(reachableTools);
  }

  /** A conversation that is about to go to the model. Throws GateBypassed. */
  admit(messages: readonly Message[]): void {
    const results = messages.flatMap((message) =>
      message.role === 'toolResult' ? [{ call: message.toolCallId, isError: message.isError }] : [],
    );
    const reason = this.#port.returned(results);
    if (reason !== undefined) throw new GateBypassed(reason);
    this.#prepared.declare(messages);
  }

  /** To be awaited before the first event of an answer passes. */
  ready(): Promise<void> {
    return this.#prepared.load();
  }

  /** An event that is about to go out. */
  passing(event: WireEvent): void {
    if (event.type !== 'toolcall_end') return;
    const { toolCall } = event;
    this.#port.called({ id: toolCall.id, tool: toolCall.name, arguments: this.#prepared.of(toolCall) });
  }

  /** Answers one question. Throws RefusedRequest, ConnectionEnded, and what the gate throws. */
  async answer(req: IncomingMessage, res: ServerResponse, abort: AbortController): Promise<void> {
    if (this.#open >= MAX_OPEN) throw new RefusedRequest(429, 'busy', `More than ${MAX_OPEN} questions at once.`);
    this.#open++;
    try {
      const question = await this.#question(req);
      res.on('close', () => {
        if (!res.writableFinished) abort.abort(new Error('nobody waits for the answer'));
      });
      const answer = await this.#port.answer(question, abort.signal);
      if ('refused' in answer) throw new RefusedRequest(answer.status, answer.refused, answer.message);
      const body = JSON.stringify(answer);
      res.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      });
      res.end(body);
    } finally {
      this.#open--;
    }
  }

  /** One that is too large costs its call and not the run: it is no conversation, and no money. */
  async #question(req: IncomingMessage): Promise<Buffer> {
    const max = this.#port.questionBytes;
    try {
      return await readBody(req, { max, count: () => {} });
    } catch (error) {
      if (!(error instanceof RefusedRequest) || error.code !== 'body_size') throw error;
      throw new RefusedRequest(413, 'question_size', `A question of more than ${max} bytes is not taken.`);
    }
  }
}
