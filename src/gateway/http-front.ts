import { createServer, IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { KiB } from '../lib/bytes.ts';
import { RefusedRequest, refusalBody } from './refusal.ts';

/** Connections at once. The wire opens one stream for each. */
const MAX_CONNECTIONS = 32;
/** Request line and headers, bytes. */
const MAX_HEADER_BYTES = 16 * KiB;
/** Header lines of one request. */
const MAX_HEADERS = 64;
/** From the start of a connection to the end of its request's headers, milliseconds. */
const HEADER_DEADLINE_MS = 15_000;
/** From the end of an answer to the end of its connection, milliseconds. */
const GOODBYE_MS = 15_000;
/** A connection whose request was refused is given this long to read why, milliseconds. */
const LINGER_MS = 500;

export interface FrontHandlers {
  /** A request with complete headers. Must answer it. */
  readonly request: (req: IncomingMessage, res: ServerResponse) => void;
  /** Something that is no request. Writes it down; throws when that fails, and then nothing is answered. */
  readonly refused: (refusal: RefusedRequest) => void;
}

/**
 * HTTP/1.1 over streams that somebody else opened. Node's server does the parsing, but it never listens, and its own
 * timeouts run only while it listens; the header deadline is therefore kept here.
 */
export class HttpFront {
  readonly #server: Server;
  readonly #handlers: FrontHandlers;
  readonly #connections = new Map<Duplex, NodeJS.Timeout>();
  readonly #turnedAway = new WeakSet<Duplex>();
  readonly #asked = new WeakSet<Duplex>();

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
    this.#server.on('connect', (_req, stream) =>
      this.#turnAway(stream, new RefusedRequest(405, 'connect', 'CONNECT is not offered here.')),
    );
    this.#server.on('upgrade', (_req, stream) =>
      this.#turnAway(stream, new RefusedRequest(426, 'upgrade', 'Only plain HTTP/1.1 is spoken here.')),
    );
    this.#server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
      // The container hung up in the middle of a request: nobody is there to be answered.
      if (error.code === 'ECONNRESET' || error.code === 'HPE_INVALID_EOF_STATE') stream.destroy();
      else if (error.code === 'HPE_HEADER_OVERFLOW') {
        this.#turnAway(stream, new RefusedRequest(431, 'header_size', 'The request headers are too large.'));
      } else this.#turnAway(stream, new RefusedRequest(400, 'protocol', 'This is not HTTP/1.1.'));
    });
  }

  accept(stream: Duplex): void {
    // Streams of a session that died report it here; the connection is over either way.
    stream.on('error', () => stream.destroy());
    if (this.#connections.size >= MAX_CONNECTIONS) {
      stream.destroy();
      return;
    }
    this.#connections.set(stream, this.#headerDeadline(stream));
    stream.on('close', () => this.#forget(stream));
    this.#server.emit('connection', stream);
  }

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

  #request(req: IncomingMessage, res: ServerResponse): void {
    const stream: Duplex = req.socket;
    if (stream.destroyed) return;
    clearTimeout(this.#connections.get(stream));
    res.on('close', () => {
      if (!this.#connections.has(stream)) return;
      this.#connections.set(stream, setTimeout(() => stream.destroy(), GOODBYE_MS).unref());
    });
    this.#handlers.request(req, res);
  }

  #headerDeadline(stream: Duplex): NodeJS.Timeout {
    return setTimeout(() => {
      this.#turnAway(stream, new RefusedRequest(408, 'header_timeout', 'The request headers did not come in time.'));
    }, HEADER_DEADLINE_MS).unref();
  }

  #forget(stream: Duplex): void {
    clearTimeout(this.#connections.get(stream));
    this.#connections.delete(stream);
  }

  /** Answers a request that was understood but is refused, and was written down. The rest of it is not waited for. */
  refuse(req: IncomingMessage, res: ServerResponse, refusal: RefusedRequest): void {
    const stream: Duplex = req.socket;
    this.#turnedAway.add(stream);
    if (res.headersSent) res.destroy();
    else {
      const body = refusalBody(refusal);
      const length = Buffer.byteLength(body);
      res.writeHead(refusal.status, {
        'content-type': 'application/json',
        'content-length': length,
        connection: 'close',
      });
      res.end(body);
    }
    setTimeout(() => stream.destroy(), LINGER_MS).unref();
  }

  #turnAway(stream: Duplex, refusal: RefusedRequest): void {
    // What follows a request that was refused is not read, so it is no second fault.
    if (stream.destroyed || this.#turnedAway.has(stream)) return;
    this.#turnedAway.add(stream);
    try {
      this.#handlers.refused(refusal);
    } catch {
      stream.destroy();
      return;
    }
    if (stream.writable) stream.end(rawAnswer(refusal));
    setTimeout(() => stream.destroy(), LINGER_MS).unref();
  }
}

function rawAnswer(refusal: RefusedRequest): string {
  const body = refusalBody(refusal);
  const upgrade = refusal.status === 426 ? 'Upgrade: HTTP/1.1\r\n' : '';
  return (
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${upgrade}Connection: close\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
