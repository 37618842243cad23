import { connect, createServer } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { SandboxError } from '../../src/errors.ts';
import { framing, unframed } from '../../src/run/chunk-framing.ts';
import { ControlRefusal, requestOutput, requestStop } from '../../src/run/control-client.ts';
import { listenControl } from '../../src/run/control-server.ts';
import { tempFolder } from '../support/cli.ts';

async function served(output: (call: string) => Promise<Readable>, stop: () => void = () => {}): Promise<string> {
  const socket = path.join(tempFolder(), 'control');
  const server = await listenControl(socket, { stop, output });
  onTestFinished(async () => server[Symbol.asyncDispose]());
  return socket;
}

async function all(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

test('an output of many megabytes arrives byte for byte', async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 5_000_000 }, (_, at) => at % 251));
  const socket = await served(async () => Readable.from([bytes.subarray(0, 3), Buffer.alloc(0), bytes.subarray(3)]));
  expect((await all(await requestOutput(socket, 'call_1'))).equals(bytes)).toBe(true);
});

test('an empty output is an output', async () => {
  const socket = await served(async () => Readable.from([]));
  expect(await all(await requestOutput(socket, 'call_1'))).toHaveLength(0);
});

test('an output that breaks off is an error and never a short output', async () => {
  const broken = async function* () {
    yield Buffer.from('half');
    throw new Error('the container is gone');
  };
  const socket = await served(async () => Readable.from(broken(), { objectMode: false }));
  const seen: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of await requestOutput(socket, 'call_1')) seen.push(chunk);
  })();
  await expect(reading).rejects.toMatchObject({ name: 'SandboxError', code: 'wire' });
  expect(Buffer.concat(seen).toString()).toBe('half');
});

test('a refusal carries the reason of the controller', async () => {
  const socket = await served(async (call) => {
    throw new SandboxError('usage', `nothing of ${call}`);
  });
  const refused = requestOutput(socket, 'call_7');
  await expect(refused).rejects.toBeInstanceOf(ControlRefusal);
  await expect(refused).rejects.toThrow('nothing of call_7');
});

test('stop reaches the run and is answered', async () => {
  let stops = 0;
  await requestStop(
    await served(
      async () => Readable.from([]),
      () => stops++,
    ),
  );
  expect(stops).toBe(1);
});

test.each(['{"op":"reboot"}', '{"op":"stop","now":true}', '[', '{"op":"output","call":""}x'])(
  'the request %s is refused with a reason',
  async (line) => {
    const socket = connect(await served(async () => Readable.from([])));
    socket.end(`${line}\n`);
    const answer = JSON.parse((await all(socket)).toString()) as Record<string, unknown>;
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining('control request') });
  },
);

test('a controller that hangs up without an answer is an error', async () => {
  const file = path.join(tempFolder(), 'control');
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(file, resolve));
  onTestFinished(() => void server.close());
  await expect(requestStop(file)).rejects.toBeInstanceOf(SandboxError);
});

test('a controller that is gone is an error that names the socket', async () => {
  const file = path.join(tempFolder(), 'control');
  await expect(requestStop(file)).rejects.toThrow(file);
});

test('framing survives every way of cutting the stream', async () => {
  const frames = await all(Readable.from([Buffer.from('abc'), Buffer.from('defgh')]).pipe(framing()));
  for (let at = 0; at < frames.length; at++) {
    const cut = [frames.subarray(0, at), frames.subarray(at)];
    expect((await all(unframed(Readable.from(cut)))).toString()).toBe('abcdefgh');
    await expect(all(unframed(Readable.from([frames.subarray(0, at)])))).rejects.toThrow('before it was complete');
  }
});

test('a length beyond every piece is damage', async () => {
  await expect(all(unframed(Readable.from([Buffer.from([0xff, 0xff, 0xff, 0xff, 1])])))).rejects.toThrow('too long');
});
