import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });
const Positive = Type.Integer({ minimum: 1 });

/**
 * What programs inside may reach. `none`: nothing. `allow`: what is listed. `open`: what is listed, and every public
 * address. `learn`: what is listed; everything else is refused and put on a list of what would have been needed.
 */
export const NetworkMode = Type.Union([
  Type.Literal('none'),
  Type.Literal('allow'),
  Type.Literal('open'),
  Type.Literal('learn'),
]);
export type NetworkMode = Static<typeof NetworkMode>;

/** Hard caps of the egress proxy. Crossing one refuses or cuts a connection; the run goes on. */
export const EgressLimits = Type.Object(
  {
    /** Connections at the same time. */
    connections: Positive,
    /** Attempts in one run; what comes later is closed without an answer. */
    attempts: Positive,
    /** Both directions of one connection, bytes. */
    connectionBytes: Positive,
    /** Both directions of all connections, bytes. */
    totalBytes: Positive,
    /** From an attempt to its connection, milliseconds. */
    connectMs: Positive,
    /** Without a byte in either direction, milliseconds. */
    idleMs: Positive,
    /** One connection from its start, milliseconds. */
    connectionMs: Positive,
  },
  strict,
);
export type EgressLimits = Static<typeof EgressLimits>;

export const NetworkPlan = Type.Object(
  {
    mode: NetworkMode,
    /** Each `host:port`, exactly; IPv6 addresses in brackets. */
    allow: Type.Array(Type.String()),
    limits: EgressLimits,
  },
  strict,
);
export type NetworkPlan = Static<typeof NetworkPlan>;

const line = { v: Type.Literal(1), time: Type.String(), run: Type.String() };

/**
 * An attempt to reach something, written once it is decided and before anything is answered or sent. Host and port are
 * absent where the container named none that could be understood.
 */
export const EgressEntry = Type.Object(
  {
    ...line,
    entry: Type.Literal('egress'),
    /** Counts attempts from 1. */
    attempt: Positive,
    /** `connect`: a tunnel. `http`: a request that is passed on. */
    method: Type.Union([Type.Literal('connect'), Type.Literal('http')]),
    host: Type.Optional(Type.String()),
    port: Type.Optional(Positive),
    decision: Type.Union([Type.Literal('allow'), Type.Literal('refuse')]),
    /** What decided: `allow HOST:PORT`, `network open`, or the rule that refused it. */
    rule: Type.String(),
    /** Stable reason code. */
    code: Type.String(),
    /** What the host resolved the name to: the address that was checked and is connected to. */
    address: Type.Optional(Type.String()),
  },
  strict,
);
export type EgressEntry = Static<typeof EgressEntry>;

/** The end of an attempt that was allowed. */
export const EgressEndEntry = Type.Object(
  {
    ...line,
    entry: Type.Literal('egress_end'),
    attempt: Positive,
    /** `done`, or why it was cut or never stood. */
    code: Type.String(),
    /** The address that was connected to; absent when none could be. */
    address: Type.Optional(Type.String()),
    /** Bytes to the outside, and from there. */
    sent: Count,
    received: Count,
    durationMs: Count,
  },
  strict,
);
export type EgressEndEntry = Static<typeof EgressEndEntry>;

/** Sums over all attempts of a run. */
export const EgressSums = Type.Object(
  {
    allowed: Count,
    refused: Count,
    sent: Count,
    received: Count,
    /** `host:port` that were let through, and those that no rule allowed; the first ones of each. */
    reached: Type.Array(Type.String()),
    wanted: Type.Array(Type.String()),
  },
  strict,
);
export type EgressSums = Static<typeof EgressSums>;
