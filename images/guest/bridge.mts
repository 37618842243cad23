/**
 * The bridge: main process of the container. It joins loopback connections inside to the wire on its own stdin and
 * stdout. It holds no secret, takes no decision and writes no file; its end is the end of the container.
 */
import http2 from 'node:http2';
import net from 'node:net';
import {
  EGRESS_ARGUMENT,
  EGRESS_AUTHORITY,
  EGRESS_PORT,
  GATEWAY_AUTHORITY,
  GATEWAY_PORT,
  MAX_EGRESS_STREAMS,
  MAX_WIRE_STREAMS,
  PING_DEADLINE_MS,
  WIRE_WINDOW_BYTES,
} from '../../src/protocol/wire.ts';
import { forward } from './forward.ts';
import { skipToMagic } from './skip-to-magic.ts';
import { wireDuplex } from './wire-duplex.ts';

const EXIT = { inputEnded: 0, failed: 1, silent: 2 } as const;
/** Lines said on stderr in one run. */
const MAX_DIAGNOSTICS = 50;
const MAX_DIAGNOSTIC_CHARS = 200;

let said = 0;
function say(line: string): void {
  said += 1;
  if (said <= MAX_DIAGNOSTICS) process.stderr.write(`bridge: ${line.slice(0, MAX_DIAGNOSTIC_CHARS)}\n`);
}

function stop(code: number, why: string): never {
  say(why);
  process.exit(code);
}

process.on('uncaughtException', (error) => stop(EXIT.failed, `fault: ${error.message}`));

// A half-open connection gives no end of input. Running from the start also ends a bridge that nobody ever attached to.
const silence = setTimeout(() => stop(EXIT.silent, `no ping for ${PING_DEADLINE_MS} ms`), PING_DEADLINE_MS);

const input = process.stdin;
const output = process.stdout;
for (const event of ['end', 'close', 'error'] as const) input.on(event, () => stop(EXIT.inputEnded, 'input ended'));
for (const event of ['close', 'error'] as const) output.on(event, () => stop(EXIT.failed, 'output closed'));

let session: http2.ClientHttp2Session | undefined;

/** Listens on a loopback port, each of whose connections becomes a stream for `authority`. A full one leaves the other be. */
function listen(port: number, authority: string, maxConnections: number): Promise<void> {
  let connections = 0;
  // Paused until its stream exists, so that no buffer of ours stands between the two.
  const server = net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
    if (session === undefined || session.destroyed || connections >= maxConnections) {
      socket.on('error', () => undefined);
      socket.destroy();
      say(session === undefined ? 'connection before the wire stood' : 'too many connections');
      return;
    }
    connections += 1;
    forward(session, authority, socket, () => {
      connections -= 1;
    });
    socket.resume();
  });
  server.on('error', (error) => stop(EXIT.failed, `cannot listen: ${error.message}`));
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}

// Listening comes first, so that a finished handshake means that the gateway can be reached.
await listen(GATEWAY_PORT, GATEWAY_AUTHORITY, MAX_WIRE_STREAMS);
if (process.argv.includes(EGRESS_ARGUMENT)) await listen(EGRESS_PORT, EGRESS_AUTHORITY, MAX_EGRESS_STREAMS);
skipToMagic(input).then(
  (first) => {
    session = startSession(first);
  },
  (error: Error) => stop(EXIT.failed, error.message),
);

function startSession(first: Buffer): http2.ClientHttp2Session {
  const wire = wireDuplex(input, output, first);
  const started = http2.connect('http://host', {
    createConnection: () => wire,
    settings: { initialWindowSize: WIRE_WINDOW_BYTES, enablePush: false },
  });
  started.on('connect', () => started.setLocalWindowSize(WIRE_WINDOW_BYTES));
  started.on('ping', () => silence.refresh());
  started.on('error', (error) => stop(EXIT.failed, `wire: ${error.message}`));
  started.on('goaway', () => stop(EXIT.failed, 'the host said goodbye'));
  started.on('close', () => stop(EXIT.failed, 'the wire closed'));
  return started;
}
