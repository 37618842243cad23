import http2, { type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Duplex, Readable, Writable } from 'node:stream';
import { SandboxError } from '../errors.ts';
import {
  EGRESS_AUTHORITY,
  GATEWAY_AUTHORITY,
  MAX_EGRESS_STREAMS,
  MAX_WIRE_STREAMS,
  PING_DEADLINE_MS,
  PING_INTERVAL_MS,
  WIRE_MAGIC,
  WIRE_WINDOW_BYTES,
} from '../protocol/wire.ts';
import { wireDuplex } from './wire-duplex.ts';

/** What the bridge may make Node remember of one session, in megabytes. */
const MAX_SESSION_MEMORY_MB = 32;
/** Header pairs and bytes of one CONNECT. */
const MAX_HEADER_PAIRS = 16;
const MAX_HEADER_BYTES = 4 * 1024;

export interface Wire {
  /** The bridge answered: the gateway can be reached from inside. */
  readonly ready: Promise<void>;
  /** Settles when the wire is gone; rejects with SandboxError `wire` when it broke instead of being closed. */
  readonly closed: Promise<void>;
  /** Ends the session. The attach stream stays open; closing it ends the container. */
  close(): void;
}

export interface WireOptions {
  readonly fromGuest: Readable;
  readonly toGuest: Writable;
  /** Takes one connection to the gateway port, as a byte stream. */
  readonly onGateway: (stream: Duplex) => void;
  /** Takes one connection to the port of the way out; without it there is none. */
  readonly onEgress?: ((stream: Duplex) => void) | undefined;
  /** Told of every stream that the bridge opened for something else. */
  readonly onRefused: (authority: string) => void;
}

/** Speaks the host's side of the wire: HTTP/2 server over the attach stream, with PINGs as a sign of life. */
export function openWire(options: WireOptions): Wire {
  const { fromGuest, toGuest } = options;
  const duplex = wireDuplex(fromGuest, toGuest);
  toGuest.write(WIRE_MAGIC);
  const session = http2.performServerHandshake(duplex, {
    maxSessionMemory: MAX_SESSION_MEMORY_MB,
    maxHeaderListPairs: MAX_HEADER_PAIRS,
    settings: {
      maxConcurrentStreams: MAX_WIRE_STREAMS + (options.onEgress === undefined ? 0 : MAX_EGRESS_STREAMS),
      initialWindowSize: WIRE_WINDOW_BYTES,
      maxHeaderListSize: MAX_HEADER_BYTES,
    },
  });
  const ready = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  // Either may fail before anybody waits for it.
  ready.promise.catch(() => {});
  closed.promise.catch(() => {});
  let closing = false;

  const fail = (why: string, cause?: unknown): void => {
    if (!closing) {
      const error = new SandboxError('wire', `The connection to the bridge in the container broke: ${why}.`, { cause });
      ready.reject(error);
      closed.reject(error);
    }
    end();
  };
  const end = (): void => {
    closing = true;
    clearInterval(pings);
    session.destroy();
    ready.reject(new SandboxError('wire', 'The connection to the bridge was closed.'));
    closed.resolve();
  };

  session.once('remoteSettings', () => {
    session.setLocalWindowSize(WIRE_WINDOW_BYTES);
    ready.resolve();
  });
  session.on('error', (error) => fail('it violated the protocol', error));
  session.on('close', () => fail('the bridge closed it'));
  session.on('stream', (stream, headers) =>
    accept(stream, String(headers[':method']), String(headers[':authority']), options),
  );
  for (const event of ['end', 'close'] as const) fromGuest.once(event, () => fail('the container ended'));
  fromGuest.once('error', (error) => fail('its stream is damaged', error));
  for (const event of ['error', 'close'] as const) toGuest.once(event, () => fail('the engine closed the stream'));
  const pings = startPings(session, () => fail(`no sign of life for ${PING_DEADLINE_MS} ms`));

  return { ready: ready.promise, closed: closed.promise, close: end };
}

function accept(stream: ServerHttp2Stream, method: string, authority: string, options: WireOptions): void {
  stream.on('error', () => {});
  // A stream that was opened and reset in one read is gone before it is announced here.
  if (stream.destroyed || stream.closed) return;
  const take = method === 'CONNECT' ? takerOf(authority, options) : undefined;
  if (take === undefined) {
    options.onRefused(authority);
    stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
    return;
  }
  try {
    stream.respond({ ':status': 200 });
  } catch {
    stream.destroy();
    return;
  }
  take(stream);
}

function takerOf(authority: string, { onGateway, onEgress }: WireOptions): ((stream: Duplex) => void) | undefined {
  if (authority === GATEWAY_AUTHORITY) return onGateway;
  return authority === EGRESS_AUTHORITY ? onEgress : undefined;
}

function startPings(session: ServerHttp2Session, dead: () => void): NodeJS.Timeout {
  let answered = Date.now();
  return setInterval(() => {
    if (session.destroyed) return;
    if (Date.now() - answered > PING_DEADLINE_MS) return dead();
    session.ping((error) => {
      if (error === null) answered = Date.now();
    });
  }, PING_INTERVAL_MS);
}
