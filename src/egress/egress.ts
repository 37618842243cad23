import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Authority, authorityText } from '../lib/authority.ts';
import { withDeadline } from '../lib/deadline.ts';
import type { EgressSums } from '../protocol/network.ts';
import { EgressAccount, type EgressMethod, NotKept } from './account.ts';
import { connectTo, connectToFirst, ownAddresses, resolveName } from './connect.ts';
import { ProxyFront } from './front.ts';
import { addressesOf, ruleFor } from './judge.ts';
import { Meter, type Total } from './meter.ts';
import type { EgressOptions } from './options.ts';
import { passOn } from './pass-on.ts';
import { EgressRefusal } from './refusal.ts';
import { plainTarget, tunnelTarget } from './target.ts';
import { tunnel } from './tunnel.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
/** Time that `close` gives connections to end, milliseconds. */
const CLOSE_DEADLINE_MS = 5_000;

/** One attempt on its way: what is asked for, by whom, and how its bytes are carried once it stands. */
interface Attempt {
  readonly method: EgressMethod;
  readonly client: Duplex;
  readonly parse: () => Authority;
  readonly carry: (socket: Socket, meter: Meter) => Promise<void>;
}

/**
 * The way out for programs inside: an HTTP proxy on streams that come over the wire. What is asked for is compared with
 * the plan, looked up here and connected to by the address that was checked. TLS passes through as it is.
 */
export class Egress {
  readonly #options: EgressOptions;
  readonly #account: EgressAccount;
  readonly #front: ProxyFront;
  readonly #meters = new Set<Meter>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #total: Total = { bytes: 0 };
  #revoked: string | undefined;
  #closed = false;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#account = new EgressAccount(options);
    this.#front = new ProxyFront({
      connect: (authority, client, head) => this.#connect(authority, client, head),
      request: (req, res) => this.#request(req, res),
      refused: (client, refusal) => this.#turnAway(client, refusal),
    });
  }

  get sums(): EgressSums {
    return this.#account.sums;
  }

  /** Serves one connection of the container. */
  handleStream(stream: Duplex): void {
    if (this.#closed) stream.destroy();
    else this.#front.accept(stream);
  }

  /** From now on everything is refused; what stands is cut. */
  revoke(reason: string): void {
    this.#revoked ??= reason;
    for (const meter of this.#meters) meter.cut('revoked');
  }

  /** Revokes, waits until each connection has its last line in the ledger, and closes all. */
  async close(): Promise<void> {
    this.revoke('the proxy was closed');
    this.#closed = true;
    const ended = Promise.allSettled(this.#underWay);
    await withDeadline('ending connections', CLOSE_DEADLINE_MS, ended).catch(() => undefined);
    this.#front.close();
  }

  #connect(authority: string, client: Duplex, head: Buffer): void {
    // Its own reader comes with the connection; until then nothing may be lost.
    client.pause();
    if (head.length > 0) client.unshift(head);
    this.#take({
      method: 'connect',
      client,
      parse: () => tunnelTarget(authority),
      carry: (socket, meter) => {
        client.write(ESTABLISHED);
        return tunnel(client, socket, meter);
      },
    });
  }

  #request(req: IncomingMessage, res: ServerResponse): void {
    let path = '';
    let target: Authority;
    this.#take({
      method: 'http',
      client: req.socket,
      parse: () => {
        ({ target, path } = plainTarget(req));
        return target;
      },
      carry: (socket, meter) => passOn({ req, res, target, path }, socket, meter),
    });
  }

  /** What is no request at all: an attempt like any other, refused before it says where it wants to go. */
  #turnAway(client: Duplex, refusal: EgressRefusal): void {
    const attempt = this.#account.begin();
    if (attempt === undefined) client.destroy();
    else this.#refuse({ method: 'http', client }, attempt, undefined, refusal);
  }

  #take(asked: Attempt): void {
    const { limits } = this.#options.plan;
    const attempt = this.#account.begin();
    if (attempt === undefined) {
      asked.client.destroy();
      return;
    }
    const meter = new Meter(limits, this.#total, () => this.#options.onActivity?.());
    const full = this.#meters.size >= limits.connections;
    this.#meters.add(meter);
    const work = this.#serve(asked, attempt, meter, full).finally(() => {
      meter.end();
      this.#meters.delete(meter);
      this.#underWay.delete(work);
    });
    this.#underWay.add(work);
  }

  async #serve(asked: Attempt, attempt: number, meter: Meter, full: boolean): Promise<void> {
    const { plan, resolve = resolveName, ownAddresses: own = ownAddresses } = this.#options;
    const { method, client } = asked;
    const gone = (): void => meter.cut('client');
    client.once('close', gone);
    let target: Authority | undefined;
    let addresses: readonly string[];
    try {
      this.#checkStanding();
      target = asked.parse();
      const rule = ruleFor(target, plan);
      if (full)
        throw new EgressRefusal('busy', `More than ${plan.limits.connections} connections at once are not made.`);
      if (this.#total.bytes >= plan.limits.totalBytes) {
        throw new EgressRefusal('bytes', 'This run has moved as many bytes over the network as it may.');
      }
      const bounded = (host: string) => withDeadline('a name', plan.limits.connectMs, resolve(host));
      addresses = await addressesOf(target, plan, { resolve: bounded, ownAddresses: own });
      this.#checkStanding();
      this.#account.allowed(attempt, method, target, { rule, address: addresses[0] ?? '' });
    } catch (error) {
      this.#refuse(asked, attempt, target, error);
      return;
    }
    // From here on whoever carries the bytes sees for itself how the client leaves.
    const carry: Attempt['carry'] = (socket) => {
      client.off('close', gone);
      return asked.carry(socket, meter);
    };
    await this.#stand({ ...asked, carry }, attempt, { target, addresses, meter });
  }

  /** From the connection to its end. */
  async #stand(
    asked: Attempt,
    attempt: number,
    { target, addresses, meter }: { target: Authority; addresses: readonly string[]; meter: Meter },
  ): Promise<void> {
    const { plan, connect = connectTo, now = Date.now } = this.#options;
    const started = now();
    let code: string = 'done';
    let address: string | undefined;
    try {
      const to = { connect, timeoutMs: plan.limits.connectMs, signal: meter.signal };
      const found = await connectToFirst(addresses, target.port, to).catch(() => {
        throw new EgressRefusal('unreachable', `${authorityText(target)} may be reached, but did not answer.`);
      });
      address = found.address;
      await asked.carry(found.socket, meter);
    } catch (error) {
      code = error instanceof EgressRefusal ? error.code : 'broken';
      if (error instanceof EgressRefusal && meter.code === undefined) this.#front.refuse(asked.client, error);
      else asked.client.destroy(new Error('the connection broke'));
    }
    const { sent, received } = meter;
    const durationMs = Math.max(0, Math.round(now() - started));
    this.#account.ended(attempt, {
      code: meter.code ?? code,
      ...(address === undefined ? {} : { address }),
      ...{ sent, received, durationMs },
    });
  }

  /** Writes a refusal down and answers it. */
  #refuse(
    { method, client }: Pick<Attempt, 'method' | 'client'>,
    attempt: number,
    target: Authority | undefined,
    error: unknown,
  ): void {
    if (!(error instanceof EgressRefusal)) {
      client.destroy();
      if (!(error instanceof NotKept)) this.#options.onFailure(error);
      return;
    }
    try {
      this.#account.refused(attempt, method, target, error);
    } catch {
      client.destroy();
      return;
    }
    this.#front.refuse(client, error);
  }

  #checkStanding(): void {
    if (this.#revoked !== undefined) throw new EgressRefusal('revoked', 'The run has ended.');
  }
}
