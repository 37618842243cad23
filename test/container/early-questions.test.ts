import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { askEarly } from '../../src/container/early-questions.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

async function engine(answer: RequestListener) {
  const folder = mkdtempSync(path.join(tmpdir(), 'early-'));
  const socket = path.join(folder, 'engine.sock');
  const server = createServer(answer).listen(socket);
  await once(server, 'listening');
  undo.push(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  return { address: { kind: 'socket', path: socket }, source: 'test' } as const;
}

test('an engine at a socket is asked for both answers', async () => {
  const asked: string[] = [];
  const answers = askEarly(
    await engine((request, response) => {
      asked.push(request.url ?? '');
      response.end(JSON.stringify({ to: request.url }));
    }),
  );
  expect(await answers?.version).toEqual({ to: '/version' });
  expect(await answers?.info).toEqual({ to: '/info' });
  expect(asked.sort()).toEqual(['/info', '/version']);
});

const bad: Record<string, RequestListener> = {
  'an error': (_, response) => {
    response.writeHead(500).end('{}');
  },
  'no JSON': (_, response) => {
    response.end('{');
  },
  'a flood': (_, response) => {
    response.end(JSON.stringify('x'.repeat(2 << 20)));
  },
  'a cut answer': (_, response) => {
    response.socket?.destroy();
  },
};

test.each(Object.keys(bad))('%s counts as no answer, so that the client asks again', async (what) => {
  const answers = askEarly(await engine(bad[what]!));
  expect(await answers?.version).toBeUndefined();
  expect(await answers?.info).toBeUndefined();
});

test('nobody at the socket counts as no answer, and other engines are not asked', async () => {
  const nobody = askEarly({ address: { kind: 'socket', path: '/nonexistent/engine.sock' }, source: 'test' });
  expect(await nobody?.info).toBeUndefined();
  expect(askEarly({ address: { kind: 'tcp', host: '127.0.0.1', port: 1 }, source: 'test' })).toBeUndefined();
});
