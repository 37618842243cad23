import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Scrubber } from '../../src/gateway/scrub.ts';

const SECRET = 'sk-ant-Zm9v/+bar?baz=0123456789';

function through(scrubber: Scrubber, pieces: readonly string[]): string {
  const window = scrubber.window();
  return pieces.map((piece) => window.push(piece)).join('') + window.end();
}

test('a secret is found wherever text is split, in every encoding', () => {
  const scrubber = new Scrubber([SECRET]);
  const encoded = [0, 1, 2].map((pad) => Buffer.from(`${'x'.repeat(pad)}${SECRET}yz`));
  const forms = [
    SECRET,
    encodeURIComponent(SECRET),
    Buffer.from(SECRET).toString('hex'),
    ...encoded.flatMap((bytes) => [bytes.toString('base64'), bytes.toString('base64url')]),
  ];
  for (const form of forms) {
    for (let at = 0; at <= form.length; at++) {
      const text = through(scrubber, ['before ', form.slice(0, at), form.slice(at), ' after']);
      expect(text).toContain('[secret removed]');
      expect(text).not.toContain(form.slice(4, -4));
      expect(text).toMatch(/^before .* after$/);
    }
  }
});

test('text without secrets comes out as it went in, however it is split', () => {
  const scrubber = new Scrubber([SECRET]);
  const nearly = fc.oneof(
    fc.string(),
    fc.nat(SECRET.length - 1).map((length) => SECRET.slice(0, length)),
  );
  fc.assert(
    fc.property(fc.array(nearly), (pieces) => {
      fc.pre(!pieces.join('').includes(SECRET));
      expect(through(scrubber, pieces)).toBe(pieces.join(''));
    }),
  );
});

test('a secret in any split of any text never comes out whole', () => {
  const scrubber = new Scrubber([SECRET]);
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (a, b, sizes) => {
      const text = a + SECRET + b;
      const pieces: string[] = [];
      for (let at = 0, i = 0; at < text.length; i++) {
        const size = sizes[i % sizes.length]!;
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      expect(through(scrubber, pieces)).not.toContain(SECRET);
    }),
  );
});

test('keys and values of nested data are scrubbed; short secrets are not looked for', () => {
  const scrubber = new Scrubber([SECRET, 'none']);
  expect(scrubber.deep({ [SECRET]: [{ a: `x${SECRET}` }], b: 'none', c: 3, d: null })).toEqual({
    '[secret removed]': [{ a: 'x[secret removed]' }],
    b: 'none',
    c: 3,
    d: null,
  });
});
