import { expect, it } from 'vitest';
import { formatBytes, formatCount, formatDuration, formatUsd, plural } from '../../src/lib/format.ts';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [64 * 2 ** 20, '64 MiB'],
  [2 ** 50, '1024 TiB'],
])('writes %i bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it.each([
  [85.4, '85 ms'],
  [1_234, '1.2 s'],
  [59_960, '1 m 00 s'],
  [185_000, '3 m 05 s'],
  [7_620_000, '2 h 07 m'],
])('writes %f ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

it.each([
  [950, '950'],
  [12_345, '12.3k'],
  [999_960, '1.0M'],
])('writes a count of %i as %s', (count, text) => expect(formatCount(count)).toBe(text));

it.each([
  [0, '$0.00'],
  [0.0123, '$0.0123'],
  [1.25, '$1.25'],
])('writes %f dollars as %s', (usd, text) => expect(formatUsd(usd)).toBe(text));

it('counts in words', () => expect([plural(1, 'line'), plural(0, 'line')]).toEqual(['1 line', '0 lines']));
