import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Certificate, certificateFor } from './certificate.ts';
import type { UpstreamAnswer, UpstreamRequest } from './fake-upstream.ts';

/** What the proxy was asked to open. */
export interface Opened {
  readonly target: string;
  readonly authorization: string | undefined;
}

/**
 * A company's network on loopback: a proxy, and behind it one server over TLS that answers to every name. Nothing reaches the net,
 * whichever address a client asks for.
 */
export interface CompanyProxy extends AsyncDisposable {
  readonly url: string;
  readonly certificate: Certificate;
  readonly opened: Opened[];
  /** What came over TLS, with the name of the server that was meant. */
  readonly requests: (UpstreamRequest & { readonly host: string })[];
}

export interface CompanyProxyOptions {
  readonly names: readonly string[];
  readonly answer: (host: string) => UpstreamAnswer;
  /** Answers to CONNECT in place of opening a way. */
  readonly refuse?: number;
}

export async function companyProxy({ names, answer, refuse }: CompanyProxyOptions): Promise<CompanyProxy> {
  const certificate = certificateFor(...names);
  const requests: (UpstreamRequest & { host: string })[] = [];
  const opened: Opened[] = [];
  const sockets = new Set<Socket>();
  const server = createHttpsServer({ key: certificate.key, cert: certificate.cert }, async (req, res) => {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece);
    const host = req.headers.host ?? '';
    const { method = '', url = '', rawHeaders } = req;
    requests.push({ host, method, url, rawHeaders, body: Buffer.concat(pieces).toString() });
    await answer(host)(res, req);
  });
  const port = await listening(server);
  const proxy = createHttpServer();
  proxy.on('connect', (req: IncomingMessage, socket: Socket) => {
    opened.push({ target: req.url ?? '', authorization: req.headers['proxy-authorization'] });
    sockets.add(socket);
    socket.on('error', () => {});
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} No\r\nContent-Length: 0\r\n\r\n`);
    const inner = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(inner).pipe(socket);
    });
    sockets.add(inner);
    inner.on('error', () => socket.destroy());
  });
  const proxyPort = await listening(proxy);
  return {
    url: `http://127.0.0.1:${proxyPort}`,
    certificate,
    opened,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      proxy.closeAllConnections();
      await Promise.all([server, proxy].map((one) => new Promise((resolve) => one.close(resolve))));
    },
  };
}

async function listening(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
