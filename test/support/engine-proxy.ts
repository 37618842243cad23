import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { findEndpoint } from '../../src/container/endpoint.ts';

/** A unix socket in front of the engine: it sees every request, and can hold one back. */
export interface EngineProxy extends AsyncDisposable {
  /** For DOCKER_HOST. */
  readonly host: string;
  /** Request lines, in the order in which they came: `POST /v1.41/containers/create`. */
  readonly requests: readonly string[];
  /** What the engine has answered so far on any connection, as text. */
  readonly answers: string;
  /** Settles when a request like this comes, which then waits until `release`, or for ever. */
  hold(request: RegExp): Promise<{ readonly request: string; release(): void }>;
  /** Breaks every connection and accepts no more, until `mend`. */
  cut(): void;
  mend(): void;
  /** Settles when the engine has said this. */
  answered(text: RegExp): Promise<RegExpExecArray>;
}

interface Hold {
  readonly pattern: RegExp;
  readonly caught: (held: { request: string; release(): void }) => void;
}

/** Longest text of answers that is kept, characters. */
const MAX_ANSWERS = 4_000_000;
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|DELETE) (\S+) HTTP\/1\.1\r\n/;

/** Listens in `folder`, or on loopback. The engine is the one that the docker command would use; it must have a socket here. */
export async function engineProxy(folder: string, { tcp = false } = {}): Promise<EngineProxy> {
  const { address } = await findEndpoint(process.env);
  if (address.kind !== 'socket') throw new Error('these tests need an engine with a socket on this machine');
  const requests: string[] = [];
  const holds: Hold[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  let answers = '';
  let isCut = false;

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isCut) return void client.destroy();
    const engine = connect({ path: address.path, allowHalfOpen: true });
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    // Whoever goes away takes the other side along, at once: what is behind must notice a killed client.
    client.on('close', () => engine.destroy());
    engine.on('close', () => client.destroy());
    client.on('end', () => engine.end());
    engine.on('end', () => client.end());
    engine.on('data', (chunk) => {
      answers = (answers + chunk.toString('latin1')).slice(-MAX_ANSWERS);
      for (const look of waiting) look();
      if (!client.write(chunk)) engine.pause();
    });
    client.on('drain', () => engine.resume());
    engine.on('drain', () => client.resume());
    client.on('data', (chunk) => {
      const line = REQUEST_LINE.exec(chunk.subarray(0, 2048).toString('latin1'));
      const request = line === null ? undefined : `${line[1]} ${line[2]}`;
      if (request !== undefined) requests.push(request);
      const forward = (): void => {
        if (!engine.destroyed && !engine.write(chunk)) client.pause();
      };
      const index = request === undefined ? -1 : holds.findIndex(({ pattern }) => pattern.test(request));
      if (index < 0) return forward();
      const [hold] = holds.splice(index, 1);
      client.pause();
      hold?.caught({
        request: request ?? '',
        release() {
          forward();
          client.resume();
        },
      });
    });
  });
  const socket = path.join(folder, 'engine.sock');
  if (tcp) server.listen(0, '127.0.0.1');
  else server.listen(socket);
  await once(server, 'listening');
  const bound = server.address();
  return {
    host: typeof bound === 'object' ? `tcp://127.0.0.1:${bound?.port}` : `unix://${socket}`,
    requests,
    get answers() {
      return answers;
    },
    hold: (pattern) => new Promise((caught) => holds.push({ pattern, caught })),
    cut() {
      isCut = true;
      for (const open of sockets) open.destroy();
    },
    mend() {
      isCut = false;
    },
    answered: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = text.exec(answers);
          if (found === null) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      for (const open of sockets) open.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
