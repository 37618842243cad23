import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AssistantMessage } from '@earendil-works/pi-ai';
import { messageOf } from '../errors.ts';
import { withDeadline } from '../lib/deadline.ts';
import { GATE_PATH } from '../protocol/wire.ts';
import { Admission, type Admitted, OtherTools } from './admission.ts';
import { AnswerRecord } from './answer-record.ts';
import { LimitReached } from './budget.ts';
import { ProviderIdle, streamAnswer } from './call.ts';
import { closeEntry, closeRecord, openEntry, openRecords } from './call-entries.ts';
import { deltaOf } from './deltas.ts';
import { GateBypassed, GateDoor } from './gate-door.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type GatewayFailure, type GatewayState, StateKeeper } from './gateway-state.ts';
import { isGivenUp } from './given-up.ts';
import { HttpFront } from './http-front.ts';
import { Meter, type MeteredCall, type Settled } from './meter.ts';
import { SecretInRequest } from './redact-request.ts';
import { RefusedRequest } from './refusal.ts';
import { ConnectionEnded, readBody } from './request-body.ts';
import { checkHead } from './request-head.ts';
import { ClientGone, SseAnswer } from './sse-answer.ts';
import { terminalEvent } from './terminal-event.ts';

export type { GatewayDelta, GatewayFailure, GatewayState } from './gateway-state.ts';

/** Refusals that are written down. After that connections are closed without an answer, so that a loop cannot fill the disk. */
const MAX_REFUSALS = 1_000;
/** Time that `close` gives calls to end, milliseconds. */
const CLOSE_DEADLINE_MS = 5_000;

/**
 * The model gateway of one run: answers `POST /messages` on connections that come over the wire, and carries `POST /gate`.
 * What the container sends is a conversation that is checked and copied; address, credentials and model are ours.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #front: HttpFront;
  readonly #meter: Meter;
  readonly #admission: Admission;
  readonly #door: GateDoor | undefined;
  readonly #keeper = new StateKeeper();
  readonly #aborts = new Set<AbortController>();
  readonly #exchanges = new Set<Promise<void>>();
  #revoked: string | undefined;
  #closed = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#meter = new Meter(options, this.#now());
    this.#admission = new Admission(options);
    this.#door = options.gate && new GateDoor(options.gate, options.reachableTools);
    this.#front = new HttpFront({
      request: (req, res) => this.#take(req, res),
      refused: (refusal) => this.#note(refusal),
    });
  }

  get state(): GatewayState {
    return this.#keeper.current;
  }

  /** Serves one HTTP/1.1 connection of the container. */
  handleStream(stream: Duplex): void {
    if (this.#closed) stream.destroy();
    else this.#front.accept(stream);
  }

  /** From now on everything is answered with 410; calls under way are aborted. */
  revoke(reason: string): void {
    this.#revoked ??= reason;
    for (const abort of this.#aborts) abort.abort(new Error(`revoked: ${reason}`));
  }

  /** Revokes, waits until each call has its ledger line, and closes all connections. */
  async close(): Promise<void> {
    this.revoke('the gateway was closed');
    this.#closed = true;
    const ended = Promise.allSettled(this.#exchanges);
    await withDeadline('ending model calls', CLOSE_DEADLINE_MS, ended).catch(() => undefined);
    this.#front.close();
    this.#options.source.close?.();
  }

  #take(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#exchange(req, res).finally(() => this.#exchanges.delete(exchange));
    this.#exchanges.add(exchange);
  }

  async #exchange(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let leave: (() => void) | undefined;
    try {
      this.#checkStanding();
      if (this.#door === undefined) checkHead(req, ['/messages']);
      else if (checkHead(req, ['/messages', GATE_PATH]) === GATE_PATH)
        return await this.#question(this.#door, req, res);
      leave = this.#meter.budget.enter();
      const count = (bytes: number): void => this.#meter.budget.countBytes(bytes);
      const body = await readBody(req, { max: this.#options.limits.requestBytes, count });
      this.#checkStanding();
      const admitted = this.#admission.admit(body);
      this.#door?.admit(admitted.messages);
      await this.#call(admitted, res);
    } catch (error) {
      this.#turnAway(req, res, error);
    } finally {
      leave?.();
    }
  }

  /** A question costs nothing of the run's budget; the gate has its own bounds. */
  async #question(door: GateDoor, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    try {
      await door.answer(req, res, abort);
    } finally {
      this.#aborts.delete(abort);
    }
  }

  #checkStanding(): void {
    if (this.#revoked !== undefined) throw new RefusedRequest(410, 'revoked', 'The run has ended.');
    const { failure } = this.state;
    if (failure !== undefined && failure.kind !== 'model') {
      throw new RefusedRequest(403, 'failed', 'The run has been stopped; it is out of budget.');
    }
  }

  async #call(admitted: Admitted, res: ServerResponse): Promise<void> {
    const { run, source, limits, ledger, record, onDelta } = this.#options;
    const started = this.#now();
    const metered = this.#meter.open(admitted, started);
    const call = this.#keeper.opened(started);
    const { messages, reserved } = metered;
    const abort = new AbortController();
    let message: AssistantMessage | undefined;
    this.#aborts.add(abort);
    try {
      ledger(openEntry({ run, time: this.#time(), call }, admitted, metered, source));
      for (const entry of openRecords(call, admitted, metered, source)) record(entry);
      const answer = new SseAnswer(res);
      res.on('close', () => {
        if (!res.writableFinished) abort.abort(new ClientGone('the client closed the connection'));
      });
      const said = new AnswerRecord();
      message = await streamAnswer({
        ...{ source, messages, idleMs: limits.idleMs, answer, abort },
        options: { ...admitted.options, maxTokens: reserved.tokens },
        ready: () => this.#door?.ready(),
        onEvent: (event) => {
          said.add(event);
          this.#door?.passing(event);
          const delta = deltaOf(call, event);
          if (delta !== undefined) onDelta?.(delta);
        },
      });
      this.#settle(call, started, metered, message, said, answer, abort.signal);
    } finally {
      this.#aborts.delete(abort);
      // Without a settled message the ledger failed: the reservation stays, and so does the failure.
      if (message === undefined) this.#keeper.abandoned();
    }
  }

  #settle(
    call: number,
    started: number,
    metered: MeteredCall,
    message: AssistantMessage,
    said: AnswerRecord,
    answer: SseAnswer,
    signal: AbortSignal,
  ): void {
    const { run, source, ledger, record, onDelta, limits } = this.#options;
    const idle = signal.reason instanceof ProviderIdle;
    const durationMs = Math.max(0, Math.round(this.#now() - started));
    // While it was silent for too long, it was not at work.
    const settled = this.#meter.close(metered, message, idle ? durationMs - limits.idleMs : durationMs);
    const end = terminalEvent(message, { idleMs: idle ? limits.idleMs : undefined });
    const error = end.type === 'error' ? end.errorMessage : undefined;
    const stopReason = end.reason;
    this.#keeper.closed({ stopReason, text: said.text, usage: settled.usage, error });
    const ended = { stopReason, usage: settled.usage, durationMs };
    const category = idle ? 'idle' : message.rawStopReason;
    ledger(closeEntry({ run, time: this.#time(), call }, ended, said));
    record(closeRecord(call, ended, said, error === undefined ? undefined : { error, category }));
    answer.finish(source.scrubber.deep(end));
    onDelta?.({ call, type: 'end', stopReason });
    this.#judge(message, error, idle, settled);
  }

  /** Whether what a call ended with ends the run. */
  #judge(message: AssistantMessage, error: string | undefined, idle: boolean, { reached }: Settled): void {
    const { source, limits } = this.#options;
    const offScript = source.failure?.();
    if (offScript !== undefined) this.#fail({ kind: 'scenario', message: offScript });
    else if (idle) this.#reachLimit('gateway.idleMs', `nothing came from the provider for ${limits.idleMs} ms`);
    else if (reached !== undefined) this.#reachLimit(reached.limit, reached.message);
    else if (error !== undefined && isGivenUp(message.rawStopReason)) {
      this.#keeper.failed({ kind: 'model', message: error });
    }
  }

  #turnAway(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    const refusal = this.#refusalFor(error);
    if (refusal === undefined || req.socket.destroyed) {
      res.destroy();
      return;
    }
    try {
      this.#note(refusal);
    } catch {
      res.destroy();
      return;
    }
    this.#front.refuse(req, res, refusal);
  }

  #refusalFor(error: unknown): RefusedRequest | undefined {
    if (error instanceof LimitReached) {
      this.#reachLimit(error.limit, error.message);
      return new RefusedRequest(403, 'limit', `The run is out of budget: ${error.message}.`);
    }
    if (error instanceof OtherTools) {
      const message = `pi declared other tools than planned: ${error.detail}`;
      this.#fail({ kind: 'tools', message });
      return error;
    }
    if (error instanceof GateBypassed) {
      this.#fail({ kind: 'bypass', message: error.detail });
      return error;
    }
    if (error instanceof SecretInRequest) this.#fail({ kind: 'secret', message: error.detail });
    if (error instanceof RefusedRequest) {
      if (error.code === 'body_size') this.#reachLimit('gateway.requestBytes', error.message);
      return error;
    }
    if (error instanceof ConnectionEnded) return undefined;
    this.#fail({ kind: 'internal', message: `the gateway failed: ${messageOf(error)}` });
    return new RefusedRequest(403, 'internal', 'The gateway failed; the run is out of budget.');
  }

  #reachLimit(limit: string, message: string): void {
    if (this.#fail({ kind: 'limit', limit, message })) {
      this.#options.record({ source: 'observed', type: 'gateway.limit', limit, message });
    }
  }

  #fail(failure: GatewayFailure): boolean {
    if (!this.#keeper.failed(failure)) return false;
    this.#options.onFailure?.(failure);
    return true;
  }

  /** Writes a refusal down before it is answered. Throws when it must not be answered. */
  #note(refusal: RefusedRequest): void {
    if (this.#keeper.refused() > MAX_REFUSALS) throw new Error('too many refusals');
    const { run, ledger, record } = this.#options;
    const { code, status } = refusal;
    try {
      ledger({ v: 1, entry: 'refused', time: this.#time(), run, code, status });
    } catch (error) {
      this.#fail({ kind: 'internal', message: `the ledger cannot be written: ${messageOf(error)}` });
      throw error;
    }
    record({ source: 'observed', type: 'gateway.refused', code, status, message: refusal.message });
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
