import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { messageOf, SandboxError } from '../errors.ts';
import { withDeadline } from '../lib/deadline.ts';
import { strictParse } from '../lib/strict-parse.ts';
import { ControlAnswer, type ControlRequest, MAX_CONTROL_LINE } from '../protocol/control.ts';
import { unframed } from './chunk-framing.ts';

/** Longest wait for the controller's one-line answer, milliseconds. Finding an output takes it one engine call. */
const ANSWER_MS = 15_000;
const NEWLINE = 0x0a;

/** Asks a run's controller to end its run. It has then been asked, no more. Rejects with SandboxError. */
export async function requestStop(socketPath: string): Promise<void> {
  const { socket } = await request(socketPath, { op: 'stop' });
  socket.destroy();
}

/** Full output of a call out of the live container. Rejects with the controller's own reason when there is none. */
export async function requestOutput(socketPath: string, call: string): Promise<AsyncIterable<Buffer>> {
  const { socket, rest } = await request(socketPath, { op: 'output', call });
  return unframed(withRest(rest, socket));
}

/** The controller answered that it cannot do what was asked. */
export class ControlRefusal extends SandboxError {
  constructor(reason: string) {
    super('usage', reason);
  }
}

async function request(socketPath: string, what: ControlRequest): Promise<{ socket: Socket; rest: Buffer }> {
  const socket = connect(socketPath);
  try {
    return await withDeadline('the answer of the controller', ANSWER_MS, exchange(socket, what));
  } catch (cause) {
    socket.destroy();
    if (cause instanceof SandboxError) throw cause;
    throw new SandboxError(
      'state',
      `The controller of the run cannot be reached at ${socketPath}: ${messageOf(cause)}.`,
      {
        cause,
      },
    );
  }
}

async function exchange(socket: Socket, what: ControlRequest): Promise<{ socket: Socket; rest: Buffer }> {
  await once(socket, 'connect');
  socket.write(`${JSON.stringify(what)}\n`);
  const { line, rest } = await firstLine(socket);
  const answer = strictParse(ControlAnswer, JSON.parse(line));
  if (!answer.ok) throw new SandboxError('wire', 'The controller of the run gave an answer that is not understood.');
  if (!answer.value.ok) throw new ControlRefusal(answer.value.error ?? 'The controller gave no reason.');
  return { socket, rest };
}

function firstLine(socket: Socket): Promise<{ line: string; rest: Buffer }> {
  let bytes = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf(NEWLINE);
      if (end < 0 && bytes.length <= MAX_CONTROL_LINE) return;
      socket.off('data', take);
      socket.pause();
      if (end < 0) reject(new SandboxError('wire', 'The answer of the controller is too long.'));
      else resolve({ line: bytes.subarray(0, end).toString('utf8'), rest: bytes.subarray(end + 1) });
    };
    socket.on('data', take);
    socket.once('error', reject);
    socket.once('close', () =>
      reject(new SandboxError('wire', 'The controller of the run went away without an answer.')),
    );
  });
}

async function* withRest(rest: Buffer, socket: Socket): AsyncGenerator<Buffer, void> {
  if (rest.length > 0) yield rest;
  yield* socket as AsyncIterable<Buffer>;
}
