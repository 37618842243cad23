import { once } from 'node:events';
import http2 from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { withoutOwnLines } from '../../src/container/own-lines.ts';
import { openWire, type Wire } from '../../src/container/wire.ts';
import { wireDuplex } from '../../src/container/wire-duplex.ts';
import { MAX_EGRESS_STREAMS, MAX_WIRE_STREAMS, WIRE_MAGIC } from '../../src/protocol/wire.ts';
import { type Bridge, startBridge } from '../support/bridge.ts';

const MEBIBYTE = 1024 * 1024;

function host(bridge: Bridge, onGateway: (stream: Duplex) => void, onEgress?: (stream: Duplex) => void): Wire {
  const { stdout, stdin } = bridge.child;
  return openWire({ fromGuest: stdout, toGuest: stdin, onGateway, onEgress, onRefused: () => undefined });
}

function echo(stream: Duplex): void {
  stream.on('error', () => undefined);
  stream.pipe(stream);
}

function ended(socket: Socket): Promise<Error | undefined> {
  return new Promise((resolve) => {
    socket.once('error', resolve);
    socket.once('close', () => resolve(undefined));
  });
}

describe('forwarding', () => {
  test('a connection reaches the gateway whatever the engine puts in front of the wire', async () => {
    await using bridge = await startBridge();
    bridge.child.stdin.write(`{"Detach":false}${'x'.repeat(5000)}pi-sandbox-wire/`);
    const wire = host(bridge, echo);
    await wire.ready;
    const socket = bridge.connect();
    socket.end('hello');
    expect(await text(socket)).toBe('hello');
    wire.close();
  });

  test('input without the start of the wire ends the bridge instead of being kept', async () => {
    await using bridge = await startBridge();
    bridge.child.stdin.write(Buffer.alloc(80 * 1024, 'x'));
    const { code, stderr } = await bridge.exited;
    expect(code).toBe(1);
    expect(stderr).toContain('no start of the wire');
  });

  test('each direction ends by itself', async () => {
    await using bridge = await startBridge();
    const wire = host(bridge, async (stream) => {
      const asked = await text(stream);
      stream.write('answer to ');
      stream.end(asked);
    });
    await wire.ready;
    const socket = bridge.connect();
    socket.end('question');
    expect(await text(socket)).toBe('answer to question');
    wire.close();
  });

  test('an answer that the host cut is a reset, not an end', async () => {
    await using bridge = await startBridge();
    const wire = host(bridge, (stream) => {
      stream.on('error', () => undefined);
      stream.write('half of ', () => stream.destroy(new Error('cut')));
    });
    await wire.ready;
    const socket = bridge.connect();
    socket.resume();
    expect(await ended(socket)).toMatchObject({ code: 'ECONNRESET' });
    wire.close();
  });

  test('a slow reader holds the host back, and loses nothing', async () => {
    await using bridge = await startBridge();
    const total = 48 * MEBIBYTE;
    let sent = 0;
    let stalled: () => void;
    const heldBack = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    const wire = host(bridge, async (stream) => {
      stream.on('error', () => undefined);
      while (sent < total) {
        sent += MEBIBYTE;
        if (!stream.write(Buffer.alloc(MEBIBYTE, sent / MEBIBYTE)) && sent > 8 * MEBIBYTE) stalled();
        if (stream.writableNeedDrain) await once(stream, 'drain');
      }
      stream.end();
    });
    await wire.ready;
    const socket = bridge.connect();
    socket.pause();
    await Promise.race([heldBack, new Promise((resolve) => setTimeout(resolve, 1000))]);
    const sentUnread = sent;
    const got = await buffer(socket);
    expect(sentUnread).toBeLessThan(24 * MEBIBYTE);
    expect(got.length).toBe(total);
    expect(got.at(-1)).toBe(48);
    wire.close();
  });

  test('more than the allowed connections are closed, and a free place is used again', async () => {
    await using bridge = await startBridge();
    const wire = host(bridge, echo);
    await wire.ready;
    const open: Socket[] = [];
    for (let count = 0; count < MAX_WIRE_STREAMS; count += 1) {
      const socket = bridge.connect();
      socket.write('x');
      await once(socket, 'data');
      open.push(socket);
    }
    const refused = bridge.connect();
    refused.resume();
    await once(refused, 'end');
    expect(refused.bytesRead).toBe(0);

    const first = open[0]!;
    first.end();
    await once(first, 'end');
    const next = bridge.connect();
    next.end('again');
    expect(await text(next)).toBe('again');
    for (const socket of [...open, refused]) socket.destroy();
    wire.close();
  });
});

describe('the way out', () => {
  const taken = (name: string) => (stream: Duplex) => void stream.on('error', () => undefined).end(name);

  test('is a port of its own, which leads to its own end of the wire', async () => {
    await using bridge = await startBridge({ egress: true });
    const wire = host(bridge, taken('gateway'), taken('egress'));
    await wire.ready;
    expect(await text(bridge.connect())).toBe('gateway');
    expect(await text(bridge.connect(bridge.egressPort))).toBe('egress');
    wire.close();
  });

  test('is not there without being asked for', async () => {
    await using bridge = await startBridge();
    const wire = host(bridge, taken('gateway'), taken('egress'));
    await wire.ready;
    expect(await ended(bridge.connect(bridge.egressPort))).toMatchObject({ code: 'ECONNREFUSED' });
    wire.close();
  });

  test('however many connections it has, leaves the gateway its own', async () => {
    await using bridge = await startBridge({ egress: true });
    // Nothing of what is sent is read: the windows of all of them are full.
    const wire = host(bridge, taken('gateway'), (stream) => void stream.on('error', () => undefined));
    await wire.ready;
    const stuck = Array.from({ length: MAX_EGRESS_STREAMS + 8 }, () => bridge.connect(bridge.egressPort));
    for (const socket of stuck) socket.on('error', () => undefined).write(Buffer.alloc(4 * MEBIBYTE));
    await Promise.all(stuck.map((socket) => once(socket, 'connect')));
    for (let round = 0; round < 20; round++) expect(await text(bridge.connect())).toBe('gateway');
    for (const socket of stuck) socket.destroy();
    wire.close();
  });

  test('whose programs do not read holds up no answer of the gateway', async () => {
    await using bridge = await startBridge({ egress: true });
    const flood = (stream: Duplex): void => {
      const more = (): void => void stream.write(Buffer.alloc(MEBIBYTE), (error) => error ?? more());
      stream.on('error', () => undefined);
      more();
    };
    const wire = host(bridge, taken('gateway'), flood);
    await wire.ready;
    const stuck = Array.from({ length: 8 }, () => bridge.connect(bridge.egressPort).pause());
    await Promise.all(stuck.map((socket) => once(socket, 'connect')));
    for (let round = 0; round < 20; round++) expect(await text(bridge.connect())).toBe('gateway');
    for (const socket of stuck) socket.destroy();
    wire.close();
  });
});

describe('dead-man switch', () => {
  test('the end of its input ends the bridge at once', async () => {
    await using bridge = await startBridge();
    const wire = host(bridge, echo);
    await wire.ready;
    const started = performance.now();
    bridge.child.stdin.end();
    const { code, stderr } = await bridge.exited;
    expect(code).toBe(0);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(withoutOwnLines(stderr)).toBe('');
  });

  test('a host that takes its leave ends it, with nothing to say but a farewell', async () => {
    await using bridge = await startBridge();
    const { stdout, stdin } = bridge.child;
    stdin.write(WIRE_MAGIC);
    const session = http2.performServerHandshake(wireDuplex(stdout, stdin));
    session.on('error', () => undefined);
    await new Promise((resolve) => session.ping(resolve));
    session.goaway();
    const { stderr } = await bridge.exited;
    session.destroy();
    expect(stderr).not.toBe('');
    expect(withoutOwnLines(stderr)).toBe('');
  });

  test('a bridge that nobody ever spoke to ends by itself', async () => {
    await using bridge = await startBridge({ deadlineMs: 400 });
    const { code, stderr } = await bridge.exited;
    expect(code).toBe(2);
    expect(stderr).toContain('no ping for 400 ms');
  });

  test('pings keep it alive beyond its deadline, and their absence ends it', async () => {
    await using bridge = await startBridge({ deadlineMs: 600 });
    const { stdout, stdin } = bridge.child;
    stdin.write(WIRE_MAGIC);
    const session = http2.performServerHandshake(wireDuplex(stdout, stdin));
    session.on('error', () => undefined);
    const started = performance.now();
    for (let count = 0; count < 12; count += 1) {
      await new Promise((resolve) => session.ping(resolve));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(bridge.child.exitCode).toBeNull();
    expect(performance.now() - started).toBeGreaterThan(1200);
    expect((await bridge.exited).code).toBe(2);
    session.destroy();
  });

  test('a host that stopped reading cannot keep it from ending', async () => {
    await using bridge = await startBridge({ deadlineMs: 1500 });
    const { stdin } = bridge.child;
    // Large windows and no reader: the pipe fills, and a bridge that writes blocking would hang here for ever.
    stdin.write(WIRE_MAGIC);
    stdin.write(settingsFrame(0x4, 64 * MEBIBYTE));
    stdin.write(windowUpdateFrame(64 * MEBIBYTE));
    await once(bridge.child.stdout, 'readable');
    const sockets = Array.from({ length: 8 }, () => bridge.connect());
    for (const socket of sockets) socket.on('error', () => undefined).write(Buffer.alloc(4 * MEBIBYTE));
    expect((await bridge.exited).code).toBe(2);
    for (const socket of sockets) socket.destroy();
  });
});

function frame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  return Buffer.concat([head, payload]);
}

function settingsFrame(setting: number, value: number): Buffer {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(setting, 0);
  payload.writeUInt32BE(value, 2);
  return frame(0x4, payload);
}

function windowUpdateFrame(increment: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment, 0);
  return frame(0x8, payload);
}
