import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinPath, parsePath, showPath } from '../../src/lib/path-bytes.ts';

test('joining adds one slash, and none to an empty part', () => {
  expect(joinPath(Buffer.from('a'), Buffer.from([0xff]))).toEqual(Buffer.from([0x61, 0x2f, 0xff]));
  expect(joinPath(Buffer.alloc(0), Buffer.from('b')).toString()).toBe('b');
  expect(joinPath(Buffer.from('a'), Buffer.alloc(0)).toString()).toBe('a');
});

test('readable names are shown as they are, everything else byte by byte', () => {
  expect(showPath(Buffer.from('src/grün 日本.ts'))).toBe('src/grün 日本.ts');
  expect(showPath(Buffer.from('caf\xe9', 'latin1'))).toBe('caf\\xe9');
  expect(showPath(Buffer.from('a\u001b[31m\n\\'))).toBe('a\\x1b[31m\\x0a\\x5c');
  expect(showPath(Buffer.from('a\u202eb'))).toBe('a\\xe2\\x80\\xaeb');
});

test('no two names are shown alike, and no shown name controls a terminal', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), fc.uint8Array({ maxLength: 8 }), (one, other) => {
      const [a, b] = [Buffer.from(one), Buffer.from(other)];
      expect(showPath(a)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      if (!a.equals(b)) expect(showPath(a)).not.toBe(showPath(b));
    }),
  );
});

test('what is shown names exactly these bytes', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 8 }),
        fc.string().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        expect(parsePath(showPath(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
      },
    ),
  );
  expect(parsePath('a\\x5cxff')).toEqual(Buffer.from('a\\xff'));
});
