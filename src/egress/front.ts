import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type NoRequest, StreamServer } from '../lib/stream-server.ts';
import { EgressRefusal, refusalAnswer } from './refusal.ts';

/** Header lines of one request. */
const MAX_HEADERS = 100;
/** A connection whose request was refused is given this long to read why, milliseconds. */
const LINGER_MS = 1_000;

const NO_REQUEST: Readonly<Record<NoRequest, string>> = {
  header_size: 'The request headers are too large.',
  header_timeout: 'The request headers did not come in time.',
  protocol: 'This is not HTTP/1.1.',
};

export interface FrontHandlers {
  /** CONNECT to this authority, as it was sent. The stream is the caller's from now on; `head` came behind the request. */
  readonly connect: (authority: string, stream: Duplex, head: Buffer) => void;
  /** Any other request with complete headers. */
  readonly request: (req: IncomingMessage, res: ServerResponse) => void;
  /** Something that is no request. Answers it. */
  readonly refused: (stream: Duplex, refusal: EgressRefusal) => void;
}

/** The proxy's HTTP: tells tunnels, plain requests and what is neither apart. */
export class ProxyFront {
  readonly #server: StreamServer;
  readonly #handlers: FrontHandlers;
  readonly #answered = new WeakSet<Duplex>();

  constructor(handlers: FrontHandlers) {
    this.#handlers = handlers;
    this.#server = new StreamServer({
      maxHeaders: MAX_HEADERS,
      requireHostHeader: false,
      onNoRequest: (stream, why) => this.#noRequest(stream, why),
    });
    const { http } = this.#server;
    http.on('request', (req, res) => this.#request(req, res));
    // What was asked is decided on before anything is said, `100 Continue` included.
    http.on('checkContinue', (req, res) => this.#request(req, res));
    // Node would answer these two by itself, and no attempt would be on record.
    http.on('checkExpectation', ({ socket }) =>
      this.#turnAway(socket, 'Nothing but 100-continue can be expected here.'),
    );
    http.on('connect', (req, stream, head) => {
      // It came behind another request, which ended the connection.
      if (stream.destroyed) return;
      this.#server.complete(stream);
      this.#handlers.connect(req.url ?? '', stream, head);
    });
  }

  accept(stream: Duplex): void {
    this.#server.accept(stream);
  }

  /** Cuts all connections. */
  close(): void {
    this.#server.close();
  }

  /** Answers and ends a connection that has not been answered yet. What still comes is not waited for. */
  refuse(stream: Duplex, refusal: EgressRefusal): void {
    if (stream.destroyed || this.#answered.has(stream)) return;
    this.#answered.add(stream);
    if (stream.writable) stream.end(refusalAnswer(refusal));
    // Without a reader the end of the client would never be seen.
    stream.resume();
    this.#server.dismiss(stream, LINGER_MS);
  }

  #noRequest(stream: Duplex, why: NoRequest): void {
    // What follows a connection that was answered is not read, so it is no second attempt.
    if (stream.destroyed || this.#answered.has(stream)) return;
    if (this.#server.asked(stream)) stream.destroy();
    else this.#handlers.refused(stream, new EgressRefusal(why, NO_REQUEST[why]));
  }

  #turnAway(stream: Duplex, message: string): void {
    if (!stream.destroyed) this.#handlers.refused(stream, new EgressRefusal('protocol', message));
  }

  #request(req: IncomingMessage, res: ServerResponse): void {
    const stream: Duplex = req.socket;
    if (stream.destroyed) return;
    if (req.httpVersion === '1.1' && req.headers.host === undefined) {
      this.#turnAway(stream, 'A request of HTTP/1.1 has a Host header.');
      return;
    }
    this.#server.complete(stream);
    res.on('close', () => {
      if (!this.#answered.has(stream)) this.#server.dismiss(stream);
    });
    this.#handlers.request(req, res);
  }
}
