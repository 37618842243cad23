import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { KiB } from '../lib/bytes.ts';
import { EgressRefusal, refusalAnswer } from './refusal.ts';

/** Request line and headers, bytes. */
const MAX_HEADER_BYTES = 16 * KiB;
/** Header lines of one request. */
const MAX_HEADERS = 100;
/** From the start of a connection to the end of its request's headers, milliseconds. */
const HEADER_DEADLINE_MS = 15_000;
/** A connection whose request was refused is given this long to read why, milliseconds. */
const LINGER_MS = 1_000;

export interface FrontHandlers {
  /** CONNECT to this authority, as it was sent. The stream is the caller's from now on; `head` came behind the request. */
  readonly connect: (authority: string, stream: Duplex, head: Buffer) => void;
  /** Any other request with complete headers. */
  readonly request: (req: IncomingMessage, res: ServerResponse) => void;
  /** Something that is no request. Answers it. */
  readonly refused: (stream: Duplex, refusal: EgressRefusal) => void;
}

/**
 * The proxy's HTTP/1.1 over streams that somebody else opened, one request for each. Node's server parses, but it never
 * listens, and its own timeouts run only while it listens; the header deadline is therefore kept here.
 */
export class ProxyFront {
  readonly #server: Server;
  readonly #handlers: FrontHandlers;
  readonly #deadlines = new Map<Duplex, NodeJS.Timeout>();
  readonly #asked = new WeakSet<Duplex>();
  readonly #answered = new WeakSet<Duplex>();

  constructor(handlers: FrontHandlers) {
    this.#handlers = handlers;
    const parsed = (stream: Duplex): void => this.#parsed(stream);
    class Parsed extends IncomingMessage {
      constructor(socket: Socket) {
        super(socket);
        parsed(socket);
      }
    }
    this.#server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAlive: false, IncomingMessage: Parsed });
    this.#server.maxHeadersCount = MAX_HEADERS;
    this.#server.on('request', (req, res) => this.#request(req, res));
    // What was asked is decided on before anything is said, `100 Continue` included.
    this.#server.on('checkContinue', (req, res) => this.#request(req, res));
    this.#server.on('connect', (req, stream, head) => {
      this.#complete(stream);
      this.#handlers.connect(req.url ?? '', stream, head);
    });
    this.#server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
      // The client hung up in the middle of a request: nobody is there to be answered.
      if (error.code === 'ECONNRESET' || error.code === 'HPE_INVALID_EOF_STATE') stream.destroy();
      else if (this.#asked.has(stream)) stream.destroy();
      else if (error.code === 'HPE_HEADER_OVERFLOW') {
        this.#handlers.refused(stream, new EgressRefusal('header_size', 'The request headers are too large.'));
      } else this.#handlers.refused(stream, new EgressRefusal('protocol', 'This is not HTTP/1.1.'));
    });
  }

  accept(stream: Duplex): void {
    // Streams of a session that died report it here; the connection is over either way.
    stream.on('error', () => stream.destroy());
    const deadline = setTimeout(() => {
      this.#handlers.refused(stream, new EgressRefusal('header_timeout', 'The request headers did not come in time.'));
    }, HEADER_DEADLINE_MS);
    this.#deadlines.set(stream, deadline);
    stream.once('close', () => this.#complete(stream));
    this.#server.emit('connection', stream);
  }

  /** Answers and ends a connection that has not been answered yet. What still comes is not waited for. */
  refuse(stream: Duplex, refusal: EgressRefusal): void {
    this.#complete(stream);
    if (stream.destroyed || this.#answered.has(stream)) return;
    this.#answered.add(stream);
    if (stream.writable) stream.end(refusalAnswer(refusal));
    // Without a reader the end of the client would never be seen.
    stream.resume();
    setTimeout(() => stream.destroy(), LINGER_MS).unref();
  }

  /**
   * Each answer closes its connection, so what is sent behind a request is never carried out. Node would parse it all
   * the same; the parser's own objects are the one place where none is missed.
   */
  #parsed(stream: Duplex): void {
    if (this.#asked.has(stream)) stream.destroy();
    else this.#asked.add(stream);
  }

  #request(req: IncomingMessage, res: ServerResponse): void {
    if (req.socket.destroyed) return;
    this.#complete(req.socket);
    this.#handlers.request(req, res);
  }

  #complete(stream: Duplex): void {
    clearTimeout(this.#deadlines.get(stream));
    this.#deadlines.delete(stream);
  }
}
