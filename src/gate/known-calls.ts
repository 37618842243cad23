import type { SaidResult, SeenCall } from '../gateway/gate-port.ts';
import type { GateAnswer, GateRequest } from '../protocol/gate.ts';
import { argumentsDigest } from './digest.ts';
import { MAX_CALLS } from './limits.ts';

/** What is known of one tool call. */
export interface KnownCall {
  readonly tool: string;
  /** Of the arguments; undefined when no arguments are the right ones. */
  readonly digest: string | undefined;
  readonly seen: 'observed' | 'claimed';
  /** Results under its id that were in conversations before the call was made: a model may use an id twice. */
  readonly resultsBefore: number;
  /** The answer to the first question about it, which is the answer to every later one. */
  answer?: Promise<GateAnswer>;
  /** Once it is decided. */
  verdict?: GateAnswer['verdict'];
  bypassed?: true;
}

/** A call whose result says that it worked, although it was not allowed to run. */
export interface Bypass {
  readonly call: string;
  readonly tool: string;
  readonly kind: 'unasked' | 'ignored';
}

/** The tool calls of a run: those that the gateway saw, and nested ones that were asked about. Bounded. */
export class KnownCalls {
  readonly #calls = new Map<string, KnownCall>();
  readonly #nested = new Map<string, number>();
  #results = new Map<string, number>();

  get hasRoom(): boolean {
    return this.#calls.size < MAX_CALLS;
  }

  get(id: string): KnownCall | undefined {
    return this.#calls.get(id);
  }

  observed({ id, tool, arguments: args }: SeenCall): void {
    // What is not remembered counts as unknown, and so is denied.
    if (this.hasRoom) this.#add(id, tool, args && argumentsDigest(args), 'observed');
  }

  /** A nested call; to be asked for only while there is room. */
  claimed({ call, parent = '', tool, arguments: args }: GateRequest): KnownCall {
    this.#nested.set(parent, this.nestedIn(parent) + 1);
    return this.#add(call, tool, argumentsDigest(args), 'claimed');
  }

  /** How many calls this one has made. */
  nestedIn(parent: string): number {
    return this.#nested.get(parent) ?? 0;
  }

  /** Calls that have run past the gate, going by the results of a whole conversation. Each is named once. */
  bypassed(results: readonly SaidResult[]): Bypass[] {
    const counts = new Map<string, number>();
    const last = new Map<string, SaidResult>();
    for (const result of results) {
      counts.set(result.call, (counts.get(result.call) ?? 0) + 1);
      last.set(result.call, result);
    }
    this.#results = counts;
    const found: Bypass[] = [];
    for (const [id, { isError }] of last) {
      const call = this.#calls.get(id);
      if (call === undefined || isError || call.bypassed || (counts.get(id) ?? 0) <= call.resultsBefore) continue;
      if (call.verdict === 'allow' || call.verdict === 'change') continue;
      call.bypassed = true;
      found.push({ call: id, tool: call.tool, kind: call.answer === undefined ? 'unasked' : 'ignored' });
    }
    return found;
  }

  #add(id: string, tool: string, digest: string | undefined, seen: KnownCall['seen']): KnownCall {
    const call: KnownCall = { tool, digest, seen, resultsBefore: this.#results.get(id) ?? 0 };
    this.#calls.set(id, call);
    return call;
  }
}
