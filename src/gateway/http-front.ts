import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type NoRequest, StreamServer } from '../lib/stream-server.ts';
import { RefusedRequest, refusalBody } from './refusal.ts';

/** Connections at once. The wire opens one stream for each. */
const MAX_CONNECTIONS = 32;
/** Header lines of one request. */
const MAX_HEADERS = 64;
/** A connection whose request was refused is given this long to read why, milliseconds. */
const LINGER_MS = 500;

const NO_REQUEST: Readonly<Record<NoRequest, readonly [status: number, message: string]>> = {
  header_size: [431, 'The request headers are too large.'],
  header_timeout: [408, 'The request headers did not come in time.'],
  protocol: [400, 'This is not HTTP/1.1.'],
};

export interface FrontHandlers {
  /** A request with complete headers. Must answer it. */
  readonly request: (req: IncomingMessage, res: ServerResponse) => void;
  /** Something that is no request. Writes it down; throws when that fails, and then nothing is answered. */
  readonly refused: (refusal: RefusedRequest) => void;
}

/** The gateway's HTTP: takes plain requests only, and turns everything else away in words. */
export class HttpFront {
  readonly #server: StreamServer;
  readonly #handlers: FrontHandlers;
  readonly #turnedAway = new WeakSet<Duplex>();

  constructor(handlers: FrontHandlers) {
    this.#handlers = handlers;
    this.#server = new StreamServer({
      maxHeaders: MAX_HEADERS,
      onNoRequest: (stream, why) => {
        const [status, message] = NO_REQUEST[why];
        this.#turnAway(stream, new RefusedRequest(status, why, message));
      },
    });
    const { http } = this.#server;
    http.on('request', (req, res) => this.#request(req, res));
    http.on('connect', (_req, stream) =>
      this.#turnAway(stream, new RefusedRequest(405, 'connect', 'CONNECT is not offered here.')),
    );
    http.on('upgrade', (_req, stream) =>
      this.#turnAway(stream, new RefusedRequest(426, 'upgrade', 'Only plain HTTP/1.1 is spoken here.')),
    );
  }

  accept(stream: Duplex): void {
    if (this.#server.size < MAX_CONNECTIONS) this.#server.accept(stream);
    else stream.on('error', () => undefined).destroy();
  }

  close(): void {
    this.#server.close();
  }

  #request(req: IncomingMessage, res: ServerResponse): void {
    const stream: Duplex = req.socket;
    if (stream.destroyed) return;
    this.#server.complete(stream);
    res.on('close', () => {
      if (!this.#turnedAway.has(stream)) this.#server.dismiss(stream);
    });
    this.#handlers.request(req, res);
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
    this.#server.dismiss(stream, LINGER_MS);
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
    this.#server.dismiss(stream, LINGER_MS);
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
