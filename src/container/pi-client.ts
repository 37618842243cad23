import type { Writable } from 'node:stream';
import { SandboxError } from '../errors.ts';
import { withDeadline } from '../lib/deadline.ts';

/** The commands of pi that the controller uses. Others, `bash` and `export_html` among them, go around the tool gates. */
export type PiCommand =
  | { readonly type: 'get_state' }
  | { readonly type: 'prompt'; readonly message: string }
  | { readonly type: 'abort' }
  | { readonly type: 'clear_queue' };

/** pi's answer to a command: a claim like everything it says. */
export interface PiResponse {
  readonly success: boolean;
  readonly error: string | undefined;
  readonly data: unknown;
}

/** Sends commands as JSON lines and matches answers by id. */
export class PiClient {
  readonly #stdin: Writable;
  readonly #pending = new Map<string, PromiseWithResolvers<PiResponse>>();
  #next = 1;

  constructor(stdin: Writable) {
    this.#stdin = stdin;
  }

  /** Settles with pi's answer. Rejects when pi does not answer in time or goes away. */
  async request(command: PiCommand, deadlineMs: number): Promise<PiResponse> {
    const id = `c${this.#next++}`;
    const answer = Promise.withResolvers<PiResponse>();
    this.#pending.set(id, answer);
    try {
      // Compact JSON never holds a raw line feed, so one write is one line.
      this.#stdin.write(`${JSON.stringify({ id, ...command })}\n`);
      return await withDeadline(`pi's answer to ${command.type}`, deadlineMs, answer.promise);
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Takes a response event of pi. Ids that nobody waits for are ignored: anything in the container can write them. */
  settle(id: string | undefined, response: PiResponse): void {
    this.#pending.get(id ?? '')?.resolve(response);
  }

  /** pi is gone: nobody will answer. */
  fail(reason: string): void {
    for (const answer of this.#pending.values()) answer.reject(new SandboxError('wire', reason));
  }
}
