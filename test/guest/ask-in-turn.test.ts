import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { askInTurn } from '../../images/guest/ask-in-turn.ts';

const MANY = 40;
/** The gateway takes 16. */
const AT_ONCE = 8;

test('many questions at once wait for each other, and a refused one leaves its place to the next (M12)', async () => {
  const open = new Set<string>();
  let most = 0;
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (piece) => {
      body += piece;
    });
    req.on('end', () => {
      const { call } = JSON.parse(body) as { call: string };
      open.add(call);
      most = Math.max(most, open.size);
      // All that come together are there before the first is answered.
      setImmediate(() => {
        open.delete(call);
        res.writeHead(call.endsWith('5') ? 403 : 200).end('{"v":1,"verdict":"allow"}');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const asked = Array.from({ length: MANY }, (_, n) =>
    askInTurn({ v: 1, call: `c/${n}`, tool: 'ls', arguments: {}, paths: [] }, { timeoutMs: 20_000, port }),
  );
  const answers = await Promise.allSettled(asked);
  server.close();
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(MANY - 4);
  expect(most).toBeLessThanOrEqual(AT_ONCE);
});
