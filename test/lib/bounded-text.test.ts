import { describe, expect, it } from 'vitest';
import { clip, previewOf, TailBuffer } from '../../src/lib/bounded-text.ts';

describe('clip', () => {
  it('leaves short text alone and never cuts a character in half', () => {
    expect(clip('abc', 3)).toBe('abc');
    expect(clip('abcd', 3)).toBe('ab…');
    expect(clip('a👍bc', 3)).toBe('a…');
  });
});

describe('previewOf', () => {
  it('is short whatever the bytes are', () => {
    expect(previewOf(Buffer.alloc(1_000_000, 0xff), 10)).toHaveLength(10);
  });
});

describe('TailBuffer', () => {
  it('keeps the end and says how much went', () => {
    const tail = new TailBuffer(5);
    for (const part of ['abc', 'def', 'g']) tail.push(Buffer.from(part));
    expect(tail.total).toBe(7);
    expect(tail.text()).toBe('[2 bytes before this were dropped]\ncdefg');
  });

  it('keeps everything below its limit', () => {
    const tail = new TailBuffer(5);
    tail.push(Buffer.from('abcde'));
    expect(tail.text()).toBe('abcde');
  });

  it('takes one chunk larger than its limit', () => {
    const tail = new TailBuffer(3);
    tail.push(Buffer.from('abcdef'));
    expect(tail.text()).toBe('[3 bytes before this were dropped]\ndef');
  });
});
