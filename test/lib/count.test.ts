import { expect, test } from 'vitest';
import { parseCount } from '../../src/lib/count.ts';

test.each([
  ['200000', 200_000],
  ['200k', 200_000],
  [' 1.5M ', 1_500_000],
  ['1.005k', 1_005],
  ['1.000001m', 1_000_001],
  ['1.0005k', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['1g', undefined],
  ['9007199254741k', undefined],
  ['', undefined],
])('%j is the count %s', (text, count) => {
  expect(parseCount(text)).toBe(count);
});
