import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { Egress } from '../../src/egress/egress.ts';
import type { EgressOptions } from '../../src/egress/options.ts';
import type { EgressEndEntry, EgressEntry, EgressLimits, NetworkPlan } from '../../src/protocol/network.ts';
import type { NewRecord } from '../../src/protocol/record.ts';

export const LIMITS: EgressLimits = {
  connections: 32,
  attempts: 1_000,
  connectionBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  connectMs: 2_000,
  idleMs: 5_000,
  connectionMs: 20_000,
};

export interface Proxy {
  readonly egress: Egress;
  readonly ledger: (EgressEntry | EgressEndEntry)[];
  readonly records: NewRecord[];
  readonly failures: unknown[];
  /** Names that were looked up, in order. */
  readonly lookups: string[];
  /** Addresses that were connected to, in order. */
  readonly connects: string[];
  readonly port: number;
  /** A connection to the proxy, as the bridge hands one on. */
  open(): Socket;
  /** Sends this, and resolves to all that comes back. */
  ask(text: string | Buffer): Promise<string>;
}

export interface ProxyOptions extends Partial<Omit<NetworkPlan, 'limits'>> {
  readonly limits?: Partial<EgressLimits>;
  /** Answers of the resolver, one after the other; the last one stays. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** The resolver answers after this. */
  readonly hold?: Promise<void>;
  readonly ownAddresses?: readonly string[];
  readonly ledger?: EgressOptions['ledger'];
}

/** A proxy on a loopback port, with books that a test can read. */
export async function proxy({ mode = 'allow', allow = [], limits, names = {}, ...more }: ProxyOptions): Promise<Proxy> {
  const ledger: Proxy['ledger'] = [];
  const records: NewRecord[] = [];
  const failures: unknown[] = [];
  const lookups: string[] = [];
  const connects: string[] = [];
  const { connectTo } = await import('../../src/egress/connect.ts');
  const egress = new Egress({
    run: 'run',
    plan: { mode, allow: [...allow], limits: { ...LIMITS, ...limits } },
    record: (record) => void records.push(record),
    ledger: more.ledger ?? ((entry) => void ledger.push(entry)),
    onFailure: (error) => void failures.push(error),
    resolve: async (host) => {
      const asked = lookups.filter((name) => name === host).length;
      lookups.push(host);
      await more.hold;
      const answers = names[host] ?? [];
      return answers[Math.min(asked, answers.length - 1)] ?? [];
    },
    connect: (address, port, signal) => {
      connects.push(`${address} ${port}`);
      // Nothing of a test leaves the machine.
      if (address !== '127.0.0.1' && address !== '::1') return Promise.reject(new Error('unreachable'));
      return connectTo(address, port, signal);
    },
    ownAddresses: () => more.ownAddresses ?? [],
  });
  const server = net.createServer({ allowHalfOpen: true }, (socket) => egress.handleStream(socket));
  const port = await listening(server);
  onTestFinished(() => egress.close());
  const open = (): Socket => {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  const ask = async (text: string | Buffer): Promise<string> => {
    const socket = open();
    socket.write(text);
    return (await buffer(socket)).toString('latin1');
  };
  return { egress, ledger, records, failures, lookups, connects, port, open, ask };
}

export interface Upstream {
  readonly port: number;
  /** What each connection sent, in the order in which they came. */
  readonly received: Buffer[];
  readonly sockets: Socket[];
}

/** A server on loopback that keeps every byte it gets, and answers as told: with a text, or by a function of its own. */
export async function upstream(answer: string | ((socket: Socket, chunk: Buffer) => void)): Promise<Upstream> {
  const received: Buffer[] = [];
  const sockets: Socket[] = [];
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const index = received.push(Buffer.alloc(0)) - 1;
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('data', (chunk) => {
      received[index] = Buffer.concat([received[index] ?? Buffer.alloc(0), chunk]);
      if (typeof answer === 'function') answer(socket, chunk);
      else if (received[index]?.includes('\r\n\r\n')) socket.end(answer);
    });
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port, received, sockets };
}

async function listening(server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as net.AddressInfo).port;
}

/** Status and reason code of an answer of the proxy. */
export function refusalIn(answer: string): string {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
  return `${status} ${/^X-Pi-Sandbox: (\w+)/m.exec(answer)?.[1] ?? ''}`.trim();
}

/** Answer of an upstream: what it gets. */
export const echo = (socket: Socket, chunk: Buffer): void => void socket.write(chunk);

/** A tunnel that stands. */
export async function tunnelled(open: () => Socket, to: string): Promise<Socket> {
  const socket = open();
  socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  const answer = head.toString();
  if (answer !== 'HTTP/1.1 200 Connection established\r\n\r\n') throw new Error(answer);
  return socket;
}
