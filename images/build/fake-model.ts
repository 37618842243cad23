import { createServer, type Server } from 'node:http';
import { GATE_PATH, GATEWAY_PORT } from '../../src/protocol/wire.ts';

export interface FakeCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const USAGE = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** A model on the gateway's port that asks for the calls of each turn, then stops. Speaks `pi-messages`; its gate allows all. */
export async function fakeModel(turns: readonly (readonly FakeCall[])[]): Promise<Server> {
  let turn = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.url === GATE_PATH) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"v":1,"verdict":"allow"}');
        return;
      }
      const calls = turns[turn];
      turn += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of calls === undefined ? closingEvents() : callEvents(turn, calls))
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(GATEWAY_PORT, '127.0.0.1', resolve);
  });
  return server;
}

function callEvents(turn: number, calls: readonly FakeCall[]): unknown[] {
  const blocks = calls.flatMap((call, contentIndex) => {
    const id = `call_${turn}_${contentIndex}`;
    return [
      { type: 'toolcall_start', contentIndex, id, toolName: call.name },
      { type: 'toolcall_delta', contentIndex, delta: JSON.stringify(call.arguments) },
      {
        type: 'toolcall_end',
        contentIndex,
        toolCall: { type: 'toolCall', id, name: call.name, arguments: call.arguments },
      },
    ];
  });
  return [{ type: 'start' }, ...blocks, { type: 'done', reason: 'toolUse', usage: USAGE }];
}

function closingEvents(): unknown[] {
  return [
    { type: 'start' },
    { type: 'text_start', contentIndex: 0 },
    { type: 'text_delta', contentIndex: 0, delta: 'ok' },
    { type: 'text_end', contentIndex: 0, content: 'ok' },
    { type: 'done', reason: 'stop', usage: USAGE },
  ];
}
