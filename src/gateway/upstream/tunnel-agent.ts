import { type AgentOptions, type ClientRequestArgs, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { unescape as decoded } from 'node:querystring';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls';

/** Longest wait for a proxy to open a way, milliseconds. */
const CONNECT_MS = 30_000;

type Done = (error: Error | null, socket: Duplex) => void;

/** A way that a proxy did not open; `code` is fit for a person. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: string;

  constructor(code: string) {
    super(`the proxy did not open a way: ${code}`);
    this.code = code;
  }
}

/** Connections to plain servers through a proxy's CONNECT. */
export class HttpTunnelAgent extends HttpAgent {
  readonly #proxy: URL;
  readonly #ca: string[] | undefined;

  constructor(proxy: URL, ca: string[] | undefined, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#ca = ca;
  }

  override createConnection(options: ClientRequestArgs, done?: Done): undefined {
    tunnel(this.#proxy, this.#ca, options).then(
      (socket) => done?.(null, socket),
      (error: Error) => failed(done, error),
    );
  }
}

/** The same with TLS inside, so that the proxy sees a name and ciphertext. */
export class HttpsTunnelAgent extends HttpsAgent {
  readonly #proxy: URL;
  readonly #ca: string[] | undefined;

  constructor(proxy: URL, ca: string[] | undefined, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#ca = ca;
  }

  override createConnection(options: ClientRequestArgs & ConnectionOptions, done?: Done): undefined {
    const host = options.host ?? '';
    tunnel(this.#proxy, this.#ca, options).then(
      (socket) => {
        const { path: _, port: __, host: ___, ...rest } = options;
        const name = options.servername ?? (isIP(host) === 0 ? host : undefined);
        done?.(
          null,
          tlsConnect({ ...rest, socket, ...(name === undefined ? {} : { servername: name }) } as ConnectionOptions),
        );
      },
      (error: Error) => failed(done, error),
    );
  }
}

/** Node's own callers leave the second argument out as well; its types do not know that. */
function failed(done: Done | undefined, error: Error): void {
  (done as ((error: Error) => void) | undefined)?.(error);
}

/** A connection to `target` that the proxy has opened. Rejects with the system's error or a TunnelError. */
function tunnel(proxy: URL, ca: string[] | undefined, target: ClientRequestArgs): Promise<Socket> {
  const host = target.host ?? '';
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${target.port}`;
  const { username, password } = proxy;
  // A bare % in a password stands for itself, as with curl.
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  const open = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asked = open({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : proxy.port,
      path: authority,
      headers: { host: authority, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` }) },
      agent: false,
      timeout: CONNECT_MS,
      ...(ca === undefined ? {} : { ca }),
    });
    asked.once('connect', (answer, socket) => {
      if (answer.statusCode === 200) resolve(socket.setTimeout(0));
      else {
        socket.destroy();
        reject(new TunnelError(`PROXY_ANSWERED_${answer.statusCode}`));
      }
    });
    asked.once('response', (answer) => {
      answer.destroy();
      reject(new TunnelError(`PROXY_ANSWERED_${answer.statusCode}`));
    });
    asked.once('timeout', () => asked.destroy(new TunnelError('PROXY_TIMEOUT')));
    asked.once('error', reject);
    asked.end();
  });
}
