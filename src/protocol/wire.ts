/**
 * The wire between host and container: HTTP/2 over the attach stream of the container's main process.
 *
 *   host  = HTTP/2 server, sends `WIRE_MAGIC` first, then PINGs
 *   guest = HTTP/2 client (the bridge); discards bytes up to the magic, because some engines put the body of the
 *           attach request in front of the container's stdin
 *
 * For each TCP connection to 127.0.0.1:GATEWAY_PORT the bridge opens one CONNECT stream with `:authority` GATEWAY_AUTHORITY,
 * and one with EGRESS_AUTHORITY for each to EGRESS_PORT, where it listens only if its command line has EGRESS_ARGUMENT.
 * The bridge listens before it sends its preface, so a finished handshake means that the gateway can be reached.
 */
export const WIRE_MAGIC = 'pi-sandbox-wire/1\n';

/** Loopback port of the gateway inside the container. Not one of the ports that fetch refuses. */
export const GATEWAY_PORT = 18080;
export const GATEWAY_AUTHORITY = 'gateway:80';
/** Where the guard asks about tool calls, on the same port. */
export const GATE_PATH = '/gate';

/** Loopback port of the way out for programs inside, in runs that have one. */
export const EGRESS_PORT = 18081;
export const EGRESS_AUTHORITY = 'egress:80';
/** Tells the bridge that this run has one. */
export const EGRESS_ARGUMENT = 'egress';

/** The host sends an HTTP/2 PING this often, milliseconds. */
export const PING_INTERVAL_MS = 4_000;
/** The bridge exits when it has seen no PING for this long, milliseconds. */
export const PING_DEADLINE_MS = 15_000;

/** Streams that the bridge may have open at once to the gateway, and beside them to the way out. */
export const MAX_WIRE_STREAMS = 32;
export const MAX_EGRESS_STREAMS = 32;
/** HTTP/2 window per stream and per session, bytes: throughput against memory. */
export const WIRE_WINDOW_BYTES = 1 << 20;
