import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StderrTail } from '../../src/container/stderr-tail.ts';

afterEach(() => vi.restoreAllMocks());

describe('the tail of an error stream', () => {
  it('is the last bytes, however they came', async () => {
    const chunks = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 }));
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 100 }), async (list, maxBytes) => {
        const stream = new PassThrough();
        const tail = new StderrTail(stream, maxBytes);
        for (const chunk of list) stream.write(chunk);
        stream.end();
        await once(stream, 'end');
        const whole = list.join('');
        expect(tail.text).toBe(whole.slice(-maxBytes));
        expect(tail.bytes).toBe(whole.length);
      }),
    );
  });

  it('says when a line was said, also one that came in pieces', async () => {
    const stream = new PassThrough();
    const tail = new StderrTail(stream, 1_000);
    const said = tail.said('ready');
    for (const piece of ['not ready\nre', 'ad', 'y', '\nmore']) stream.write(piece);
    await said;
    await tail.said('more');
  });

  it('copies a chunk once, not the whole tail with it', async () => {
    const concat = vi.spyOn(Buffer, 'concat');
    const stream = new PassThrough();
    const tail = new StderrTail(stream, 64 * 1024);
    for (let sent = 0; sent < 100_000; sent++) stream.emit('data', Buffer.from('x'));
    expect(tail.text).toHaveLength(64 * 1024);
    expect(concat.mock.calls.length).toBeLessThan(10);
  });
});
