import { describe, expect, test } from 'vitest';
import { BadPattern, linearRegExp } from '../../src/lib/linear-regexp.ts';

const found = (pattern: string, text: string): string[] =>
  [...linearRegExp(pattern).matches(text)].map(({ start, end }) => text.slice(start, end));

describe('patterns of a user', () => {
  test('find what the same pattern of JavaScript finds, in its units', () => {
    for (const [pattern, text] of [
      ['CUST-\\d{4}', 'äö😀 CUST-1234 and CUST-5678'],
      ['\\u{41}+', 'xAAy'],
      ['(?<name>a|b)c', 'ac bc cc'],
      ['^x.$', 'x1\nyx2\nx3'],
      ['a\\/b', 'a/b'],
    ] as const) {
      expect(found(pattern, text)).toEqual(text.match(new RegExp(pattern, 'gmu')));
    }
  });

  test('that match nothing at all end', () => {
    expect(found('x*', 'abc')).toEqual([]);
  });

  test.each(['(?=a)b', '(?<!a)b', '(a)\\1', '(a', '[a', 'a**', '(a{900}){2}'])(
    '%s is refused, without being quoted',
    (pattern) => {
      expect(() => linearRegExp(pattern)).toThrow(BadPattern);
      try {
        linearRegExp(pattern);
      } catch (error) {
        expect((error as Error).message).not.toContain(pattern);
      }
    },
  );

  test('take a time that grows with the text alone', { timeout: 5_000 }, () => {
    // Any engine that tries one way after the other would not end in the lifetime of this machine.
    expect(linearRegExp('(a+)+$').test(`${'a'.repeat(1_000_000)}b`)).toBe(false);
    expect(linearRegExp('(a|aa)+b').test('a'.repeat(1_000_000))).toBe(false);
  });
});
