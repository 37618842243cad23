import http2 from 'node:http2';
import { Duplex, PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openWire, type Wire } from '../../src/container/wire.ts';
import { EGRESS_AUTHORITY, GATEWAY_AUTHORITY, WIRE_MAGIC } from '../../src/protocol/wire.ts';

interface Ends {
  readonly wire: Wire;
  readonly guest: http2.ClientHttp2Session;
  readonly fromGuest: PassThrough;
  readonly gateway: Duplex[];
  readonly refused: string[];
}

/** Both ends of a wire in one process. */
async function joined(): Promise<Ends> {
  const fromGuest = new PassThrough();
  const toGuest = new PassThrough();
  const gateway: Duplex[] = [];
  const refused: string[] = [];
  const wire = openWire({
    fromGuest,
    toGuest,
    onGateway: (stream) => void gateway.push(stream),
    onRefused: (authority) => void refused.push(authority),
  });
  wire.closed.catch(() => {});
  const magic = Buffer.byteLength(WIRE_MAGIC);
  let first: Buffer | null = toGuest.read(magic) as Buffer | null;
  while (first === null) {
    await new Promise((resolve) => toGuest.once('readable', resolve));
    first = toGuest.read(magic) as Buffer | null;
  }
  expect(first.toString()).toBe(WIRE_MAGIC);
  const guest = http2.connect('http://host', {
    createConnection: () => Duplex.from({ readable: toGuest, writable: fromGuest }),
  });
  guest.on('error', () => {});
  onTestFinished(() => {
    wire.close();
    guest.destroy();
  });
  await wire.ready;
  return { wire, guest, fromGuest, gateway, refused };
}

const connectRequest = (authority: string) => ({ ':method': 'CONNECT', ':authority': authority });

test('a connection to the gateway arrives as a stream that carries bytes both ways', async () => {
  const { guest, gateway } = await joined();
  const stream = guest.request(connectRequest(GATEWAY_AUTHORITY));
  await new Promise((resolve) => stream.once('response', resolve));
  stream.write('ping');
  const [host] = gateway;
  expect(String(await new Promise((resolve) => host?.once('data', resolve)))).toBe('ping');
  host?.write('pong');
  expect(String(await new Promise((resolve) => stream.once('data', resolve)))).toBe('pong');
});

/** One HTTP/2 frame. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const FRAME = { headers: 1, reset: 3, settings: 4 } as const;
const END_HEADERS = 4;
/** `:method: CONNECT` and `:authority: gateway:80` as literals with indexed names. */
const CONNECT_BLOCK = Buffer.concat([
  Buffer.from([0x02, 7]),
  Buffer.from('CONNECT'),
  Buffer.from([0x01, GATEWAY_AUTHORITY.length]),
  Buffer.from(GATEWAY_AUTHORITY),
]);

test('streams that are opened and reset in one read do no harm', async () => {
  const fromGuest = new PassThrough();
  const toGuest = new PassThrough().resume();
  const accepted: Duplex[] = [];
  const onGateway = (stream: Duplex): void => void accepted.push(stream);
  const wire = openWire({ fromGuest, toGuest, onGateway, onRefused: () => {} });
  onTestFinished(() => wire.close());
  fromGuest.write(
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(FRAME.settings, 0, 0, Buffer.alloc(0))]),
  );
  await wire.ready;
  const cancel = Buffer.from([0, 0, 0, 8]);
  for (let stream = 1; stream < 60; stream += 2) {
    const open = frame(FRAME.headers, END_HEADERS, stream, CONNECT_BLOCK);
    fromGuest.write(Buffer.concat([open, frame(FRAME.reset, 0, stream, cancel)]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  fromGuest.write(frame(FRAME.headers, END_HEADERS, 61, CONNECT_BLOCK));
  while (!accepted.some((stream) => !stream.destroyed)) await new Promise((resolve) => setImmediate(resolve));
});

test('a stream for anything but the gateway is refused and told', async () => {
  const { guest, gateway, refused } = await joined();
  const stream = guest.request(connectRequest('metadata:80'));
  await expect(
    new Promise((_, reject) => {
      stream.once('error', reject);
    }),
  ).rejects.toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
  expect(refused).toEqual(['metadata:80']);
  expect(gateway).toEqual([]);
});

test('a stream for the way out is refused and told in a run that has none', async () => {
  const { guest, gateway, refused } = await joined();
  const stream = guest.request(connectRequest(EGRESS_AUTHORITY));
  await expect(new Promise((_, reject) => stream.once('error', reject))).rejects.toMatchObject({
    code: 'ERR_HTTP2_STREAM_ERROR',
  });
  expect(refused).toEqual([EGRESS_AUTHORITY]);
  expect(gateway).toEqual([]);
});

test('an end of the guest in the middle of writing is an error of the wire and nothing else', async () => {
  for (let round = 0; round < 50; round++) {
    const { wire, guest, fromGuest, gateway } = await joined();
    const stream = guest.request(connectRequest(GATEWAY_AUTHORITY));
    stream.on('error', () => {});
    await new Promise((resolve) => stream.once('response', resolve));
    gateway[0]?.on('error', () => {});
    for (let part = 0; part < 20; part++) gateway[0]?.write(Buffer.alloc(64 * 1024));
    if (round % 2 === 0) fromGuest.end();
    else fromGuest.destroy();
    await expect(wire.closed).rejects.toMatchObject({ code: 'wire' });
  }
});
