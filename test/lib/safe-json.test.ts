import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeJson } from '../../src/lib/safe-json.ts';

/** DEL, C1, line separators, bidi, zero width, tags, fillers; the newlines of the indent are the only controls left. */
const HARMFUL = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b',
      '\u007f',
      '\u0085',
      '\u009b',
      '\u2028',
      '\u202e',
      '\u200d',
      '\u{e0041}',
      '\ud83d',
      '"',
      '\\',
      'é',
      '👍',
    ),
    fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  ),
});

test('is equal when parsed and holds no harmful character, whatever the text', () => {
  fc.assert(
    fc.property(fc.dictionary(nasty, fc.oneof(nasty, fc.array(nasty))), fc.constantFrom(0, 2), (value, indent) => {
      const json = safeJson(value, indent);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(json).not.toMatch(HARMFUL);
      if (indent === 0) expect(json).not.toContain('\n');
    }),
    { numRuns: 2_000 },
  );
});

test('leaves all other text as JSON has it', () => {
  const value = { plain: 'naïve 日本 👍\n', list: [1, true, null] };
  expect(safeJson(value)).toBe(JSON.stringify(value));
  expect(safeJson(value, 2)).toBe(JSON.stringify(value, null, 2));
  expect(safeJson('\u009b\u202e\u{e0041}')).toBe(String.raw`"\u009b\u202e\udb40\udc41"`);
  expect(safeJson(undefined)).toBe('null');
});
