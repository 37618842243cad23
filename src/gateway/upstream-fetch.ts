import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Readable, type Transform } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { boundedAnswer } from './answer-bounds.ts';
import { HttpsTunnelAgent, HttpTunnelAgent } from './upstream/tunnel-agent.ts';
import type { UpstreamFacts } from './upstream-error.ts';
import { upstreamHeaders } from './upstream-headers.ts';

/** One call's view of the connection to the provider. */
export interface UpstreamWatch {
  /** Filled in as the call goes on. */
  readonly facts: UpstreamFacts;
  /** Called for headers and for every piece of an answer. */
  readonly onActivity: () => void;
}

/** How providers are reached from this host. */
export interface UpstreamWay {
  /** Company proxy for an address, if there is one. */
  readonly proxyFor?: (target: URL) => URL | undefined;
  /** Certificates to trust, PEM; Node's own when absent. */
  readonly ca?: string[] | undefined;
}

/**
 * The way to one provider. It is a `fetch` of our own because the global one follows redirects with headers, knows no company
 * proxy and gives up after 300 s of silence. This one goes to one origin, never follows, has no timeout of its own (the
 * gateway's idle limit is the timeout) and sees every byte.
 */
export class UpstreamRoute {
  readonly #way: UpstreamWay;
  #agent: HttpAgent | undefined;
  #origin: string | undefined;

  readonly #ownHeaders: ReadonlySet<string>;

  /**
   * Without an origin (providers that build their address from settings) the first one used is kept. `ownHeaders` are
   * names of headers that the model or its credentials ask for.
   */
  constructor(origin: string | undefined, ownHeaders: readonly string[], way: UpstreamWay = {}) {
    this.#way = way;
    this.#origin = origin;
    this.#ownHeaders = new Set(ownHeaders.map((name) => name.toLowerCase()));
  }

  fetchFor(watch: UpstreamWatch): typeof fetch {
    return async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      this.#origin ??= url.origin;
      if (url.origin !== this.#origin) throw new TypeError('fetch failed: this host is not the provider');
      return this.#send(request, url, watch);
    };
  }

  close(): void {
    this.#agent?.destroy();
  }

  #agentFor(url: URL): HttpAgent {
    const { proxyFor, ca } = this.#way;
    const proxy = proxyFor?.(url);
    const keep = { keepAlive: true };
    if (url.protocol === 'https:') return proxy ? new HttpsTunnelAgent(proxy, ca, keep) : new HttpsAgent(keep);
    return proxy ? new HttpTunnelAgent(proxy, ca, keep) : new HttpAgent(keep);
  }

  async #send(request: Request, url: URL, watch: UpstreamWatch): Promise<Response> {
    const body = Buffer.from(await request.arrayBuffer());
    const headers = {
      ...upstreamHeaders(request.headers, this.#ownHeaders),
      'content-length': String(body.length),
    };
    this.#agent ??= this.#agentFor(url);
    const options = { method: request.method, headers, signal: request.signal, agent: this.#agent };
    const { ca } = this.#way;
    const sent =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, ...(ca === undefined ? {} : { ca }) })
        : httpRequest(url, options);
    sent.end(body);
    let answer: IncomingMessage;
    try {
      answer = await answerOf(sent);
    } catch (error) {
      watch.facts.networkCode = networkCode(error);
      throw new TypeError('fetch failed', { cause: error });
    }
    return this.#respond(answer, watch);
  }

  #respond(answer: IncomingMessage, watch: UpstreamWatch): Response {
    const status = answer.statusCode ?? 0;
    watch.facts.status = status;
    watch.facts.retryAfterSeconds = retryAfter(answer.headers['retry-after']);
    watch.onActivity();
    if (status >= 300 && status < 400) {
      answer.destroy();
      throw new TypeError('fetch failed: redirect');
    }
    // Anything in three digits may come; a Response takes no other than these, and would throw with the body under way.
    if (status < 200 || status > 599) {
      answer.destroy();
      throw new TypeError('fetch failed: no such status');
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    headers.delete('content-length');
    headers.delete('content-encoding');
    if (status !== 204 && status !== 205) return new Response(bodyOf(answer, watch), { status, headers });
    answer.destroy();
    return new Response(null, { status, headers });
  }
}

function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    // Stays after the answer has begun: a broken connection then also reports here.
    sent.on('error', reject);
  });
}

function bodyOf(answer: IncomingMessage, watch: UpstreamWatch): ReadableStream<Uint8Array> {
  const { facts } = watch;
  const cut = (): void => {
    facts.tooLarge = true;
  };
  const arrived = (): void => {
    facts.answered = true;
    watch.onActivity();
  };
  const bounded = boundedAnswer(arrived, cut);
  const finished = (error: NodeJS.ErrnoException | null): void => {
    if (error && facts.tooLarge !== true) facts.networkCode = networkCode(error);
  };
  const decoder = decoderFor(answer.headers['content-encoding']);
  if (decoder === undefined) pipeline(answer, bounded, finished);
  else pipeline(answer, decoder, bounded, finished);
  return Readable.toWeb(bounded) as NodeReadableStream<Uint8Array> as ReadableStream<Uint8Array>;
}

function decoderFor(encoding: string | undefined): Transform | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  return undefined;
}

/** Only Node's own codes are let through: they are fixed words. */
export function networkCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : 'UNKNOWN';
}

function retryAfter(value: string | undefined): number | undefined {
  const seconds = value === undefined ? Number.NaN : Number(value);
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400 ? seconds : undefined;
}
