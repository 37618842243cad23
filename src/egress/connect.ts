import { lookup } from 'node:dns/promises';
import { isIPv6, connect as netConnect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { canonicalAddress } from '../lib/ip-address.ts';
import type { Connect } from './options.ts';

/** The host's own resolver, `/etc/hosts` included. */
export async function resolveName(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, order: 'ipv4first' });
  return found.map(({ address }) => address);
}

/** Addresses of all interfaces, read anew each time: a machine may get others. */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/** Connects to one address. What is connected to is compared with it once more: nothing on the way may have turned it. */
export const connectTo: Connect = (address, port, signal) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = netConnect({
      host: address,
      port,
      family: isIPv6(address) ? 6 : 4,
      allowHalfOpen: true,
      noDelay: true,
    });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(new Error('aborted'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    // Stays: a connection that breaks before somebody uses it is told about by its end.
    socket.on('error', fail);
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      if (canonicalAddress(socket.remoteAddress ?? '') === address) resolve(socket);
      else fail(new Error('connected to another address'));
    });
  });

/** The first address that answers within the time that all of them have together. */
export async function connectToFirst(
  addresses: readonly string[],
  port: number,
  { connect, timeoutMs, signal }: { connect: Connect; timeoutMs: number; signal: AbortSignal },
): Promise<{ socket: Socket; address: string }> {
  const until = performance.now() + timeoutMs;
  let last: unknown = new Error('there is no address');
  for (const [tried, address] of addresses.entries()) {
    // Each gets its share of what is left, so that a dead one does not take the time of the next.
    const share = (until - performance.now()) / (addresses.length - tried);
    if (share <= 0 || signal.aborted) break;
    try {
      return { socket: await withinTime(share, signal, (each) => connect(address, port, each)), address };
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** Own timers in place of `AbortSignal.any`: what that one waits for may be collected as garbage before it comes. */
async function withinTime<T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  const timer = setTimeout(stop, ms);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(abort.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
