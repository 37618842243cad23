import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import net, { type Socket } from 'node:net';
import path from 'node:path';
import { afterAll } from 'vitest';

/** A host on loopback that the outside world may be in a test. */
export interface FileServer {
  readonly port: number;
  /** `127.0.0.1:PORT`. */
  readonly at: string;
  /** What was asked for, first lines of requests; of anything that is no request, its first bytes in hex. */
  readonly asked: string[];
  readonly sockets: Set<Socket>;
}

/** Serves the files of a folder by plain HTTP, and keeps what it is asked. Connections without a request stay open. */
export async function fileServer(folder: () => string): Promise<FileServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      const line = /^(GET|HEAD|POST) (\S+) HTTP/.exec(chunk.toString('latin1'));
      asked.push(line === null ? chunk.subarray(0, 3).toString('hex') : `${line[1]} ${line[2]}`);
      if (line === null) return;
      const content = fileAt(folder(), line[2] ?? '');
      const head = `HTTP/1.1 ${content === undefined ? '404 Not Found' : '200 OK'}\r\nContent-Length: ${content?.length ?? 0}`;
      socket.write(`${head}\r\n\r\n`);
      socket.end(content ?? '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  return { port, at: `127.0.0.1:${port}`, asked, sockets };
}

function fileAt(folder: string, url: string): Buffer | undefined {
  const file = path.join(folder, decodeURIComponent(url.replace(/\?.*$/, '')));
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file) : undefined;
}
