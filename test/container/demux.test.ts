import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demux } from '../../src/container/demux.ts';
import { SandboxError } from '../../src/errors.ts';

function frame(type: number, payload: Buffer | string): Buffer {
  const body = Buffer.from(payload);
  const header = Buffer.alloc(8);
  header[0] = type;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

function sliced(bytes: Buffer, size: number): Buffer[] {
  const slices: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) slices.push(bytes.subarray(at, at + size));
  return slices;
}

async function collect(source: AsyncIterable<Buffer>): Promise<{ bytes: Buffer; error: unknown }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of source) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), error: undefined };
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error };
  }
}

async function readAll(chunks: Buffer[]) {
  const { stdout, stderr, done } = demux(Readable.from(chunks, { objectMode: false }));
  const [out, err, end] = await Promise.all([collect(stdout), collect(stderr), done.catch((error: unknown) => error)]);
  return { out, err, end };
}

const SAMPLE = Buffer.concat([
  frame(1, '{"type":"a"}\n'),
  frame(2, 'warning'),
  frame(1, ''),
  frame(0, 'x'),
  frame(1, Buffer.alloc(300_000, 'é')),
  frame(2, '\u2028'),
]);

describe('demux', () => {
  it.each([1, 2, 7, 8, 9, 13, 65_536, 10_000_000])('gives the same bytes for slices of %i (D02)', async (size) => {
    const { out, err, end } = await readAll(sliced(SAMPLE, size));
    expect(end).toBeUndefined();
    expect(out.bytes.equals(Buffer.concat([Buffer.from('{"type":"a"}\nx'), Buffer.alloc(300_000, 'é')]))).toBe(true);
    expect(err.bytes.toString()).toBe('warning\u2028');
  });

  it('gives the same bytes for any frames in any slicing', async () => {
    const frames = fc.array(fc.record({ type: fc.constantFrom(0, 1, 2), payload: fc.uint8Array({ maxLength: 200 }) }));
    await fc.assert(
      fc.asyncProperty(frames, fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), async (list, sizes) => {
        const bytes = Buffer.concat(list.map(({ type, payload }) => frame(type, Buffer.from(payload))));
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const { out, err, end } = await readAll(chunks);
        const expected = (wanted: (type: number) => boolean) =>
          Buffer.concat(list.filter(({ type }) => wanted(type)).map(({ payload }) => Buffer.from(payload)));
        expect(end).toBeUndefined();
        expect(out.bytes.equals(expected((type) => type !== 2))).toBe(true);
        expect(err.bytes.equals(expected((type) => type === 2))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('never throws and never hangs on random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const { end } = await readAll([Buffer.from(bytes)]);
        expect(end === undefined || end instanceof SandboxError).toBe(true);
      }),
    );
  });

  it('reports a bad header with its offset, after what stood before it (D02)', async () => {
    const { out, end } = await readAll([Buffer.concat([frame(1, 'good'), Buffer.from('0900000000000001ff', 'hex')])]);
    expect(out.bytes.toString()).toBe('good');
    expect(out.error).toBe(end);
    expect(end).toMatchObject({ code: 'wire', message: expect.stringMatching(/0900000000000001 at byte 12\./) });
  });

  it('says that a raw stream may come from a terminal', async () => {
    const { end } = await readAll([Buffer.from('hello from a terminal\r\n')]);
    expect(end).toMatchObject({ code: 'wire', message: expect.stringContaining('TTY') });
  });

  it('names a failure that the engine put into the stream', async () => {
    const { end } = await readAll([frame(3, 'disk gone')]);
    expect(end).toMatchObject({ code: 'wire', message: expect.stringContaining('failure of its own') });
  });

  it('reports a frame that is cut with the offset and what is missing (D02, D04)', async () => {
    const { out, end } = await readAll([frame(1, 'complete').subarray(0, 12)]);
    expect(out.bytes.toString()).toBe('comp');
    expect(end).toMatchObject({ message: expect.stringMatching(/inside a frame at byte 12: 4 bytes/) });
  });

  it('reports a header that is cut (D02)', async () => {
    const { end } = await readAll([frame(1, 'ab'), frame(1, 'cd').subarray(0, 3)]);
    expect(end).toMatchObject({ message: expect.stringMatching(/inside a frame header at byte 13/) });
  });

  it('reports a lost connection, and both readers fail', async () => {
    const source = new PassThrough();
    const { stdout, stderr, done } = demux(source);
    source.write(frame(1, 'part'));
    source.destroy(new Error('ECONNRESET'));
    const [out, err] = await Promise.all([collect(stdout), collect(stderr)]);
    await expect(done).rejects.toMatchObject({ code: 'wire', message: expect.stringContaining('ECONNRESET') });
    expect(out.error).toBeInstanceOf(SandboxError);
    expect(err.error).toBeInstanceOf(SandboxError);
  });

  it('delivers everything before the failure to a reader that comes late', async () => {
    const source = new PassThrough();
    const { stdout, done } = demux(source);
    source.write(Buffer.concat([frame(1, 'one'), frame(1, 'two')]));
    source.end(Buffer.from([1, 0]));
    await expect(done).rejects.toBeInstanceOf(SandboxError);
    const out = await collect(stdout);
    expect(out.bytes.toString()).toBe('onetwo');
    expect(out.error).toBeInstanceOf(SandboxError);
  });

  it('pauses the source while a reader is full and goes on when it is read (D06)', async () => {
    const chunk = frame(1, Buffer.alloc(16_384));
    let produced = 0;
    const source = new Readable({
      highWaterMark: 16_384,
      read() {
        produced++;
        this.push(produced > 1000 ? null : chunk);
      },
    });
    const { stdout, stderr, done } = demux(source);
    stderr.resume();
    for (let settled = -1; settled !== produced; await turn()) settled = produced;
    expect(produced).toBeLessThan(12);
    const { bytes } = await collect(stdout);
    await done;
    expect(bytes.length).toBe(1000 * 16_384);
  });

  it('does not wait for a reader that was destroyed', async () => {
    const source = Readable.from(
      Array.from({ length: 100 }, () => Buffer.concat([frame(2, Buffer.alloc(16_384)), frame(1, 'x')])),
    );
    const { stdout, stderr, done } = demux(source);
    stderr.destroy();
    const { bytes } = await collect(stdout);
    await done;
    expect(bytes.toString()).toBe('x'.repeat(100));
  });

  it('goes on when a full reader is destroyed', async () => {
    const source = Readable.from(
      Array.from({ length: 50 }, () => Buffer.concat([frame(1, Buffer.alloc(65_536)), frame(2, 'y')])),
    );
    const { stdout, stderr, done } = demux(source);
    await new Promise((resolve) => source.once('pause', resolve));
    stdout.destroy();
    const { bytes } = await collect(stderr);
    await done;
    expect(bytes.toString()).toBe('y'.repeat(50));
  });

  it('hands on a frame of 4 GiB as it comes', async () => {
    const header = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    const source = new PassThrough();
    const { stdout, done } = demux(source);
    source.write(Buffer.concat([header, Buffer.from('first bytes')]));
    const [first] = (await new Promise((resolve) => stdout.once('data', (data) => resolve([data])))) as [Buffer];
    expect(first.toString()).toBe('first bytes');
    source.end();
    await expect(done).rejects.toMatchObject({
      message: expect.stringContaining('4294967284 bytes of it are missing'),
    });
  });
});
