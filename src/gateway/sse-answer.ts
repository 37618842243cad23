import type { ServerResponse } from 'node:http';
import type { TerminalEvent, WireEvent } from './wire-events.ts';

/** A comment this often keeps every hop and pi's own idle timeout quiet while a model thinks, milliseconds. */
const COMMENT_INTERVAL_MS = 15_000;
/** A client that does not read for this long is taken for dead, milliseconds. */
const STALLED_CLIENT_MS = 60_000;

/** Thrown when the client went away or stopped reading. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** One answer as a stream of server-sent events. Headers go out at once. */
export class SseAnswer {
  readonly #res: ServerResponse;
  readonly #comments: NodeJS.Timeout;
  #draining: Promise<void> | undefined;
  #finished = false;

  constructor(res: ServerResponse) {
    this.#res = res;
    // One call per connection: a kept connection could be closed just as pi sends its next call on it.
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', connection: 'close' });
    res.flushHeaders();
    this.#comments = setInterval(() => {
      if (!res.writableNeedDrain && !res.destroyed) res.write(':\n\n');
    }, COMMENT_INTERVAL_MS).unref();
    res.on('close', () => clearInterval(this.#comments));
  }

  /** Resolves when more may be sent. Rejects with ClientGone. */
  async send(event: WireEvent): Promise<void> {
    if (this.#res.destroyed) throw new ClientGone('the client closed the connection');
    this.#res.write(record(event));
    await this.ready();
  }

  /** Resolves when the client has taken enough for more to be read from the provider. Rejects with ClientGone. */
  ready(): Promise<void> {
    if (!this.#res.writableNeedDrain) return Promise.resolve();
    this.#draining ??= this.#drained().finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  /** Ends the stream with its one terminal event. Later calls do nothing. */
  finish(event: TerminalEvent): void {
    if (this.#finished) return;
    this.#finished = true;
    clearInterval(this.#comments);
    if (!this.#res.destroyed) this.#res.end(record(event));
  }

  #drained(): Promise<void> {
    const res = this.#res;
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(timer);
        res.off('drain', onDrain).off('close', onClose);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onDrain = (): void => settle();
      const onClose = (): void => settle(new ClientGone('the client closed the connection'));
      const timer = setTimeout(() => {
        settle(new ClientGone('the client stopped reading'));
        res.destroy();
      }, STALLED_CLIENT_MS).unref();
      res.on('drain', onDrain).on('close', onClose);
    });
  }
}

/**
 * As bytes: of text, Node counts what waits in bytes here and in characters in an HTTP/2 stream, and waits for a drain
 * that never comes where the limit lies between the two.
 */
function record(event: WireEvent): Buffer {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
}
