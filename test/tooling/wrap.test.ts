import { expect, test } from 'vitest';
import { wrap } from '../../scripts/wrap.ts';

test('lines break between words, and all but the first are indented', () => {
  expect(wrap('held     ', 'one two three four', 16, 9)).toBe('held     one two\n         three\n         four');
  expect(wrap('    ', 'one two', 8, 6)).toBe('    one\n      two');
  expect(wrap('', 'one two', 7, 2)).toBe('one two');
});

test('a word that is too long stays whole', () => {
  expect(wrap('', 'a /very/long/path b', 6, 2)).toBe('a\n  /very/long/path\n  b');
});
