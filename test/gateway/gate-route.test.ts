import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { GatePort } from '../../src/gateway/gate-port.ts';
import { scriptedSource } from '../../src/gateway/scripted-source.ts';
import { tempFolder } from '../support/cli.ts';
import { scenarioFile } from '../support/scenario-file.ts';
import {
  askAsPi,
  type Harness,
  post,
  rawExchange,
  startGateway,
  systemMessage,
  toolResult,
  userMessage,
} from './harness.ts';

/** A gate that does as it is told, and writes down what it hears. */
class FakeGate implements GatePort {
  readonly questionBytes = 1_000;
  readonly heard: string[] = [];
  reason: string | undefined;
  answers: GatePort['answer'] = async () => ({ v: 1, verdict: 'allow' });
  called: GatePort['called'] = ({ id, tool, arguments: args }) =>
    void this.heard.push(`called ${id} ${tool} ${JSON.stringify(args)}`);
  returned: GatePort['returned'] = (results) => {
    this.heard.push(`returned ${results.map(({ call, isError }) => `${call}${isError ? '!' : ''}`).join()}`);
    return this.reason;
  };
  answer: GatePort['answer'] = (question, signal) => this.answers(question, signal);
}

let harness: Harness;
afterEach(() => harness.close());

async function start(gate?: GatePort, turns: readonly object[] = [{ text: 'hi' }]): Promise<void> {
  const source = await scriptedSource('scripted:s', scenarioFile(tempFolder('pg-'), turns), '/');
  harness = await startGateway(source, gate === undefined ? {} : { gate });
}

const toGate = (body: string, headers: Record<string, string> = {}): string =>
  post(body, headers).replace('/messages', '/gate');
const statusOf = (answer: string): number => Number(answer.split(' ')[1]);

describe('POST /gate', () => {
  test('goes to the gate, and its answer comes back on a connection that ends', async () => {
    const gate = new FakeGate();
    const questions: string[] = [];
    gate.answers = async (question) => {
      questions.push(question.toString());
      return { v: 1, verdict: 'deny', reason: 'no' };
    };
    await start(gate);
    const answer = await rawExchange(harness, toGate('{"q":1}'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(answer.split('\r\n\r\n')[1]).toBe('{"v":1,"verdict":"deny","reason":"no"}');
    expect(questions).toEqual(['{"q":1}']);
  });

  test('costs nothing of the budget of the model', async () => {
    const gate = new FakeGate();
    await start(gate);
    await rawExchange(harness, toGate('{}'));
    expect(harness.gateway.state).toMatchObject({ requests: 0, refused: 0 });
    expect(harness.ledger).toEqual([]);
  });

  test('is not there without a gate', async () => {
    await start();
    expect(statusOf(await rawExchange(harness, toGate('{}')))).toBe(404);
  });

  test.each([
    ['GET', toGate('{}').replace('POST', 'GET'), 405],
    ['a query', toGate('{}').replace('/gate', '/gate?x'), 404],
    ['another form', toGate('{}', { 'Content-Type': 'text/plain' }), 415],
    ['a body that is too large', toGate('x'.repeat(1_001)), 413],
  ])('%s is refused with %#', async (_what, request, status) => {
    await start(new FakeGate());
    expect(statusOf(await rawExchange(harness, request))).toBe(status);
    expect(harness.ledger).toMatchObject([{ entry: 'refused', status }]);
  });

  test('too large a question ends no run: it is not a conversation', async () => {
    await start(new FakeGate());
    await rawExchange(harness, toGate('x'.repeat(1_001)));
    expect(harness.failures).toEqual([]);
    expect(statusOf(await rawExchange(harness, toGate('{}')))).toBe(200);
  });

  test('what the gate refuses is written down and answered as HTTP', async () => {
    const gate = new FakeGate();
    gate.answers = async () => ({ refused: 'schema', status: 400, message: 'not a question' });
    await start(gate);
    const answer = await rawExchange(harness, toGate('{}'));
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('not a question');
    expect(harness.ledger).toMatchObject([{ entry: 'refused', code: 'schema' }]);
  });

  test('a gate that fails answers nothing that could be taken for a yes, and fails the run', async () => {
    const gate = new FakeGate();
    gate.answers = () => Promise.reject(new Error('disk full'));
    await start(gate);
    const answer = await rawExchange(harness, toGate('{}'));
    expect(statusOf(answer)).toBe(403);
    expect(answer).not.toContain('disk full');
    expect(harness.failures).toMatchObject([{ kind: 'internal', message: expect.stringContaining('disk full') }]);
  });

  test('after the end of the run it is gone, and questions under way are taken back', async () => {
    const gate = new FakeGate();
    let seen: AbortSignal | undefined;
    gate.answers = (_question, signal) => {
      seen = signal;
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ v: 1, verdict: 'deny', reason: 'over' })),
      );
    };
    await start(gate);
    const waiting = rawExchange(harness, toGate('{}'));
    await vi.waitFor(() => expect(seen).toBeDefined());
    harness.gateway.revoke('over');
    expect(await waiting).toContain('"deny"');
    expect(statusOf(await rawExchange(harness, toGate('{}')))).toBe(410);
  });

  test('a question whose asker hangs up is taken back', async () => {
    const gate = new FakeGate();
    let seen: AbortSignal | undefined;
    gate.answers = (_question, signal) => {
      seen = signal;
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ v: 1, verdict: 'deny', reason: 'gone' })),
      );
    };
    await start(gate);
    const { connect } = await import('node:net');
    const socket = connect(harness.port, '127.0.0.1', () => socket.write(toGate('{}')));
    await vi.waitFor(() => expect(seen).toBeDefined());
    socket.destroy();
    await vi.waitFor(() => expect(seen?.aborted).toBe(true));
  });

  test('only so many are open at once', async () => {
    const gate = new FakeGate();
    const open: (() => void)[] = [];
    gate.answers = () => new Promise((resolve) => open.push(() => resolve({ v: 1, verdict: 'allow' })));
    await start(gate);
    const waiting = Array.from({ length: 16 }, () => rawExchange(harness, toGate('{}')));
    await vi.waitFor(() => expect(open).toHaveLength(16));
    expect(statusOf(await rawExchange(harness, toGate('{}')))).toBe(429);
    for (const answer of open) answer();
    for (const answer of await Promise.all(waiting)) expect(statusOf(answer)).toBe(200);
    const again = rawExchange(harness, toGate('{}'));
    await vi.waitFor(() => expect(open).toHaveLength(17));
    open[16]?.();
    expect(statusOf(await again)).toBe(200);
  });
});

describe('what the gate hears of a conversation', () => {
  const CALLS = { tools: [{ name: 'bash', id: 'b', arguments: { command: 'ls' } }] };

  test('is each tool call before the container has its end, and each result before the model has it', async () => {
    const gate = new FakeGate();
    await start(gate, [CALLS, { text: 'done' }]);
    const first = await askAsPi(harness, 'scripted', [systemMessage(), userMessage('go')]);
    expect(first.stopReason).toBe('toolUse');
    expect(gate.heard).toEqual(['returned ', 'called b bash {"command":"ls"}']);
    await askAsPi(harness, 'scripted', [
      systemMessage(),
      userMessage('go'),
      first,
      toolResult({ id: 'b', name: 'bash' }, 'x'),
    ]);
    expect(gate.heard[2]).toBe('returned b');
    expect(gate.heard).toHaveLength(3);
  });

  test('a call that is told of is told of before any of its end goes out', async () => {
    const gate = new FakeGate();
    let received = '';
    gate.called = () => {
      gate.heard.push(received.includes('toolcall_end') ? 'too late' : 'in time');
    };
    await start(gate, [CALLS]);
    const { connect } = await import('node:net');
    const socket = connect(harness.port, '127.0.0.1');
    socket.on('data', (piece: Buffer) => {
      received += piece.toString();
    });
    const messages = [systemMessage(), userMessage('go')];
    socket.write(post(JSON.stringify({ model: 'scripted', context: { messages }, options: {} })));
    await vi.waitFor(() => expect(received).toContain('"done"'));
    await nextTurn();
    expect(gate.heard.filter((entry) => entry.startsWith('in') || entry.startsWith('too'))).toEqual(['in time']);
    socket.destroy();
  });

  test('a bypass ends the run: the model is not asked, and asked no more', async () => {
    const gate = new FakeGate();
    await start(gate, [CALLS, { text: 'never' }]);
    await askAsPi(harness, 'scripted', [systemMessage(), userMessage('go')]);
    gate.reason = 'a tool call (bash) was carried out without asking the gate';
    const messages = [systemMessage(), userMessage('go')];
    const body = JSON.stringify({ model: 'scripted', context: { messages }, options: {} });
    const refused = await rawExchange(harness, post(body));
    expect(statusOf(refused)).toBe(403);
    expect(refused).not.toContain('carried out');
    expect(harness.failures).toEqual([{ kind: 'bypass', message: gate.reason }]);
    expect(harness.ledger.map(({ entry }) => entry)).toEqual(['open', 'close', 'refused']);
    gate.reason = undefined;
    expect(statusOf(await rawExchange(harness, post(body)))).toBe(403);
    expect(statusOf(await rawExchange(harness, toGate('{}')))).toBe(403);
    expect(harness.gateway.state.requests).toBe(1);
  });
});
