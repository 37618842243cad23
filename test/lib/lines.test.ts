import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demux } from '../../src/container/demux.ts';
import { type Line, lines, StreamLimitError } from '../../src/lib/lines.ts';

const LIMITS = { lineBytes: 10, totalBytes: 1_000_000 };
const MB = 1_000_000;

async function* from(chunks: readonly (Buffer | string)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function read(chunks: readonly (Buffer | string)[], limits = LIMITS): Promise<Line[]> {
  const read: Line[] = [];
  for await (const line of lines(from(chunks), limits)) read.push(line);
  return read;
}

const text = (line: Line) =>
  line.kind === 'line' ? line.content.toString() : `${line.kind} ${line.bytes} ${line.head}`;

describe('lines', () => {
  it('splits at 0x0A only (D01)', async () => {
    const parts = await read(['a\u2028b\u2029', 'c\n\r\u0085\rd\n\n'], { ...LIMITS, lineBytes: 100 });
    expect(parts.map(text)).toEqual(['a\u2028b\u2029c', '\r\u0085\rd', '']);
  });

  it('keeps a character that is cut between two chunks (D03)', async () => {
    const bytes = Buffer.from('café☕\n');
    expect((await read([bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6)])).map(text)).toEqual(['café☕']);
  });

  it('drops a line over the limit, says how long it was, and goes on with the next (D05)', async () => {
    expect((await read(['0123456789\n', '0123456', '789abc', 'd\nnext\n'])).map(text)).toEqual([
      '0123456789',
      'overlong 14 0123456789abc',
      'next',
    ]);
  });

  it('reports what stands after the last newline as torn (D04)', async () => {
    expect((await read(['whole\nha', 'lf'])).map(text)).toEqual(['whole', 'torn 4 half']);
  });

  it('reports an unfinished line over the limit as overlong', async () => {
    expect((await read(['x'.repeat(11)])).map(text)).toEqual([`overlong 11 ${'x'.repeat(11)}`]);
  });

  it('delivers everything up to the total limit and then fails', async () => {
    const seen: string[] = [];
    const reading = (async () => {
      for await (const line of lines(from(['one\ntwo\nthree\n']), { lineBytes: 10, totalBytes: 10 }))
        seen.push(text(line));
    })();
    await expect(reading).rejects.toBeInstanceOf(StreamLimitError);
    expect(seen).toEqual(['one', 'two', 'torn 2 th']);
  });

  it('delivers the rest before the failure of the source', async () => {
    async function* failing() {
      yield Buffer.from('one\nha');
      throw new Error('connection lost');
    }
    const seen: string[] = [];
    const reading = (async () => {
      for await (const line of lines(failing(), LIMITS)) seen.push(text(line));
    })();
    await expect(reading).rejects.toThrow('connection lost');
    expect(seen).toEqual(['one', 'torn 2 ha']);
  });

  it('keeps lines intact when the writer reuses its chunk', async () => {
    const chunk = Buffer.alloc(3);
    async function* reusing() {
      for (const part of ['ab', 'cd', 'e\n']) {
        chunk.write(part);
        yield chunk.subarray(0, part.length);
      }
    }
    const seen: string[] = [];
    for await (const line of lines(reusing(), LIMITS)) seen.push(text(line));
    expect(seen).toEqual(['abcde']);
  });

  it('agrees with a plain split for any bytes, slicing and limit', async () => {
    const chunks = fc.array(
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes.map((byte) => byte % 16))),
    );
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 20 }), async (list, lineBytes) => {
        const whole = Buffer.concat(list);
        const parts = whole.toString('latin1').split('\n');
        const rest = parts.pop() ?? '';
        const kinds = parts.map((part) => (part.length > lineBytes ? `overlong ${part.length}` : `line ${part}`));
        if (rest !== '') kinds.push(`${rest.length > lineBytes ? 'overlong' : 'torn'} ${rest.length}`);
        const seen = (await read(list, { lineBytes, totalBytes: 1_000_000 })).map((line) =>
          line.kind === 'line' ? `line ${line.content.toString('latin1')}` : `${line.kind} ${line.bytes}`,
        );
        expect(seen).toEqual(kinds);
      }),
      { numRuns: 500 },
    );
  });
});

async function peakGrowth(work: (sample: () => void) => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  await work(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  });
  return (peak - before) / MB;
}

describe('memory', () => {
  const limits = { lineBytes: 16 * 1024 * 1024, totalBytes: 2 ** 40 };

  it('reads 600 MB without a newline in less than 50 MB (EV3)', async () => {
    const chunk = Buffer.alloc(MB, 'x');
    let read: Line | undefined;
    const grown = await peakGrowth(async (sample) => {
      async function* flood() {
        for (let sent = 0; sent < 600; sent++) {
          sample();
          yield chunk;
        }
      }
      for await (const line of lines(flood(), limits)) read = line;
    });
    expect(read).toMatchObject({ kind: 'overlong', bytes: 600 * MB });
    expect(grown).toBeLessThan(50);
  });

  it('reads a line of 200 MB through the demuxer in less than 40 MB (D05)', async () => {
    let read: Line | undefined;
    const grown = await peakGrowth(async (sample) => {
      // One frame for all: chunks of a real socket are garbage of Node's own, which is not what is measured here.
      const frame = Buffer.alloc(32_008, 'x');
      frame.writeUInt32BE(0x01000000, 0);
      frame.writeUInt32BE(32_000, 4);
      async function* flood() {
        for (let sent = 0; sent < 6_250; sent++) {
          if (sent % 50 === 0) sample();
          yield frame;
        }
      }
      const { stdout, done } = demux(Readable.from(flood(), { objectMode: false }));
      for await (const line of lines(stdout, limits)) read = line;
      await done;
    });
    expect(read).toMatchObject({ kind: 'overlong', bytes: 200 * MB });
    expect(grown).toBeLessThan(40);
  });

  it('holds a line of single bytes at the size of the line, not of its pieces', async () => {
    const byte = Buffer.from('x');
    const grown = await peakGrowth(async (sample) => {
      async function* drip() {
        for (let sent = 0; sent < 4 * MB; sent++) {
          if (sent % 100_000 === 0) sample();
          yield byte;
        }
      }
      for await (const _ of lines(drip(), limits));
    });
    expect(grown).toBeLessThan(40);
  });
});
