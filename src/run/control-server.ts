import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, SandboxError } from '../errors.ts';
import { problemText, strictParse } from '../lib/strict-parse.ts';
import { type ControlAnswer, ControlRequest, MAX_CONTROL_LINE } from '../protocol/control.ts';
import { framing } from './chunk-framing.ts';

/** What a control socket can ask of its run. */
export interface ControlHandlers {
  readonly stop: () => void;
  /** Full output of a tool call. Rejects with a SandboxError that says why there is none. */
  readonly output: (call: string) => Promise<Readable>;
}

const MAX_CLIENTS = 16;
/** A client that says nothing is dropped after this, milliseconds. */
const REQUEST_MS = 5_000;
/** Time for answers under way when the run ends, milliseconds. */
const GRACE_MS = 1_000;

/**
 * Listens on the control socket of a run. Disposing waits a moment for answers under way and then cuts them off: a
 * client that does not read must not keep a run from ending. Rejects with SandboxError `state`.
 */
export async function listenControl(path: string, handlers: ControlHandlers): Promise<AsyncDisposable> {
  const clients = new Set<Socket>();
  const server = createServer((socket) => {
    clients.add(socket);
    socket.on('close', () => clients.delete(socket));
    socket.on('error', () => socket.destroy());
    void serve(socket, handlers).finally(() => socket.destroySoon());
  });
  server.maxConnections = MAX_CLIENTS;
  server.listen(path);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new SandboxError('state', `The control socket ${path} cannot be opened: ${messageOf(cause)}.`, { cause });
  }
  chmodSync(path, 0o600);
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.race([closed, delay(GRACE_MS, undefined, { ref: false })]);
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}

async function serve(socket: Socket, handlers: ControlHandlers): Promise<void> {
  try {
    const request = parse(await firstLine(socket));
    if (request.op === 'stop') {
      handlers.stop();
      answer(socket, { ok: true });
      return;
    }
    const output = await handlers.output(request.call);
    answer(socket, { ok: true });
    await pipeline(output, framing(), socket);
  } catch (error) {
    if (socket.writable) answer(socket, { ok: false, error: messageOf(error) });
  }
}

function answer(socket: Socket, value: ControlAnswer): void {
  socket.write(`${JSON.stringify(value)}\n`);
}

function parse(line: string): ControlRequest {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new SandboxError('usage', 'The control request is not JSON.');
  }
  const parsed = strictParse(ControlRequest, value);
  if (!parsed.ok) throw new SandboxError('usage', `The control request is not valid: ${problemText(parsed.problems)}.`);
  return parsed.value;
}

function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setTimeout(REQUEST_MS, () => reject(new SandboxError('usage', 'No control request came.')));
    socket.setEncoding('utf8');
    socket.on('end', () => reject(new SandboxError('usage', 'The control request is incomplete.')));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) {
        socket.setTimeout(0);
        resolve(text.slice(0, end));
      } else if (text.length > MAX_CONTROL_LINE) {
        reject(new SandboxError('usage', 'The control request is too long.'));
      }
    });
  });
}
