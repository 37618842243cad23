import { createServer, IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { KiB } from './bytes.ts';

/** Request line and headers, bytes. */
const MAX_HEADER_BYTES = 16 * KiB;
/** From the start of a connection to the end of its request's headers, milliseconds. */
const HEADER_DEADLINE_MS = 15_000;
/** From the end of an answer to the end of its connection, milliseconds. */
const GOODBYE_MS = 15_000;

/** What makes of a connection no request. */
export type NoRequest = 'header_size' | 'header_timeout' | 'protocol';

export interface StreamServerOptions {
  /** Header lines of one request. */
  readonly maxHeaders: number;
  /** Whether Node answers a request without `Host` by itself, with no event. */
  readonly requireHostHeader?: boolean;
  /** Told of a connection that brought no request, or damage behind one. Ends it; may be told more than once. */
  readonly onNoRequest: (stream: Duplex, why: NoRequest) => void;
}

/**
 * HTTP/1.1 over streams that somebody else opened, one request for each. Node's server does the parsing, but it never
 * listens, and its own timeouts run only while it listens; the deadlines are therefore kept here.
 */
export class StreamServer {
  /** Its events are the caller's; a request is reported to `complete`, and when it is answered to `dismiss`. */
  readonly http: Server;
  readonly #onNoRequest: StreamServerOptions['onNoRequest'];
  /** Connections that stand, each with the one timer that may end it. */
  readonly #connections = new Map<Duplex, NodeJS.Timeout>();
  readonly #asked = new WeakSet<Duplex>();

  constructor({ maxHeaders, requireHostHeader = true, onNoRequest }: StreamServerOptions) {
    this.#onNoRequest = onNoRequest;
    const parsed = (stream: Duplex): void => this.#parsed(stream);
    class Parsed extends IncomingMessage {
      constructor(socket: Socket) {
        super(socket);
        parsed(socket);
      }
    }
    this.http = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAlive: false,
      requireHostHeader,
      IncomingMessage: Parsed,
    });
    this.http.maxHeadersCount = maxHeaders;
    this.http.on('clientError', (error: NodeJS.ErrnoException, stream) => {
      // The container hung up in the middle of a request: nobody is there to be answered.
      if (error.code === 'ECONNRESET' || error.code === 'HPE_INVALID_EOF_STATE') stream.destroy();
      else onNoRequest(stream, error.code === 'HPE_HEADER_OVERFLOW' ? 'header_size' : 'protocol');
    });
  }

  /** Connections that stand. */
  get size(): number {
    return this.#connections.size;
  }

  accept(stream: Duplex): void {
    // Streams of a session that died report it here; the connection is over either way.
    stream.on('error', () => stream.destroy());
    const deadline = setTimeout(() => this.#onNoRequest(stream, 'header_timeout'), HEADER_DEADLINE_MS);
    this.#connections.set(stream, deadline.unref());
    stream.once('close', () => {
      this.complete(stream);
      this.#connections.delete(stream);
    });
    this.http.emit('connection', stream);
  }

  /** Whether the headers of a request came. */
  asked(stream: Duplex): boolean {
    return this.#asked.has(stream);
  }

  /** A request came in time. */
  complete(stream: Duplex): void {
    clearTimeout(this.#connections.get(stream));
  }

  /** Ends a connection that was answered, if the other side does not do it in time, milliseconds. */
  dismiss(stream: Duplex, ms = GOODBYE_MS): void {
    if (!this.#connections.has(stream)) return;
    this.complete(stream);
    this.#connections.set(stream, setTimeout(() => stream.destroy(), ms).unref());
  }

  /** Cuts all connections. */
  close(): void {
    for (const stream of [...this.#connections.keys()]) stream.destroy();
  }

  /**
   * Each answer closes its connection, so what is sent behind a request could be carried out but never answered. Node
   * would parse it all the same, keep it until then, and answer some of it itself without an event: the parser's own
   * objects are the one place where none is missed. What lies in the same chunk is still parsed, and then freed.
   */
  #parsed(stream: Duplex): void {
    if (this.#asked.has(stream)) stream.destroy();
    else this.#asked.add(stream);
  }
}
