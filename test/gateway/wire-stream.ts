import { once } from 'node:events';
import { connect as connectHttp2, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import { type Duplex, duplexPair } from 'node:stream';
import type { Gateway } from '../../src/gateway/gateway.ts';

/** A connection to a gateway as the wire brings it: an HTTP/2 stream. */
export async function wireStream(gateway: Gateway): Promise<{ connection: Duplex; end: () => void }> {
  const [guest, host] = duplexPair();
  const session = performServerHandshake(host, { settings: { initialWindowSize: 4 << 20 } });
  session.on('error', () => undefined);
  session.on('stream', (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 200 });
    gateway.handleStream(stream);
  });
  const client = connectHttp2('http://gateway', { createConnection: () => guest });
  client.on('error', () => undefined);
  await once(client, 'remoteSettings');
  const connection = client.request({ ':method': 'CONNECT', ':authority': 'gateway:80' }, { endStream: false });
  const end = (): void => {
    client.destroy();
    session.destroy();
  };
  return { connection, end };
}
