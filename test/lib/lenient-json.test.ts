import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonSyntaxError, parseLenientJson } from '../../src/lib/lenient-json.ts';

test('comments and commas behind the last element are let through, and places are known', () => {
  const text = '{ // a "comment"\n  "a": [1, 2,],\n  "b~/": { "url": "http://x", },\n}\n// end';
  const placed = parseLenientJson(text);
  expect(placed.value).toEqual({ a: [1, 2], 'b~/': { url: 'http://x' } });
  expect(placed.line('/a/1')).toBe(2);
  expect(placed.line('/b~0~1/url')).toBe(3);
  expect(placed.line('/b~0~1/missing/deeper')).toBe(3);
  expect(placed.line('/nothing')).toBe(1);
});

test('all JSON means what it means to JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parseLenientJson(text).value).toEqual(JSON.parse(text));
    }),
  );
});

test('a key that means something to objects is a key like any other', () => {
  const { value } = parseLenientJson('{"__proto__": {"polluted": true}}');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect((value as { polluted?: boolean }).polluted).toBeUndefined();
});

test.each([
  ['', 1, 1],
  ['{\n  "a": sk-secret\n}', 2, 8],
  ['{\n  "a": "b"\n  "c": 1\n}', 3, 3],
  ['{"a": "sk-secret', 1, 7],
  ['[1] 2', 1, 5],
  ['/* no */ {}', 1, 1],
  ["{'a': 1}", 1, 2],
  ['[01]', 1, 3],
  ['{"a" 1}', 1, 6],
  [`${'['.repeat(200)}`, 1, 66],
])('%j is refused at its place, and the words repeat nothing of it', (text, line, column) => {
  let failure: unknown;
  try {
    parseLenientJson(text);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(JsonSyntaxError);
  expect(failure).toMatchObject({ line, column });
  expect((failure as Error).message).not.toContain('secret');
});
