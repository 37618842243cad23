import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';

export interface FakeEngine extends AsyncDisposable {
  /** For DOCKER_HOST. */
  readonly host: string;
  readonly requests: readonly string[];
}

/** What an engine of another age says: its versions, and how it answers a request for one that it does not speak. */
export interface EngineAge {
  readonly Version: string;
  readonly ApiVersion: string;
  readonly MinAPIVersion: string;
}

/** An engine that speaks a range of API versions and answers everything within it with "no such image". */
export async function fakeEngine(folder: string, age: EngineAge): Promise<FakeEngine> {
  const requests: string[] = [];
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://engine');
    requests.push(`${req.method} ${pathname}`);
    const send = (status: number, body: object): void => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const [, minor] = /^\/v1\.(\d+)\//.exec(pathname) ?? [];
    const [least, most] = [age.MinAPIVersion, age.ApiVersion].map((version) => Number(version.split('.')[1]));
    if (minor !== undefined && Number(minor) < (least ?? 0)) {
      return send(400, {
        message: `client version 1.${minor} is too old. Minimum supported API version is ${age.MinAPIVersion}`,
      });
    }
    if (minor !== undefined && Number(minor) > (most ?? 0)) {
      return send(400, {
        message: `client version 1.${minor} is too new. Maximum supported API version is ${age.ApiVersion}`,
      });
    }
    if (pathname === '/version') return send(200, { ...age, Arch: 'amd64', KernelVersion: '6.1.0' });
    if (pathname.endsWith('/info')) {
      return send(200, {
        Name: 'fake',
        NCPU: 2,
        MemTotal: 8e9,
        SecurityOptions: ['name=seccomp,profile=default'],
        Runtimes: { runc: {} },
      });
    }
    return send(404, { message: `No such image: ${pathname}` });
  });
  const socket = path.join(folder, 'fake.sock');
  server.listen(socket);
  await once(server, 'listening');
  return {
    host: `unix://${socket}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
