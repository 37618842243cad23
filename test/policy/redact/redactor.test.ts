import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearRegExp } from '../../../src/lib/linear-regexp.ts';
import { secretForms } from '../../../src/lib/secret-forms.ts';
import { KNOWN_FORMS } from '../../../src/policy/redact/known-forms.ts';
import { Redactor, type RedactorParts } from '../../../src/policy/redact/redactor.ts';
import { HARMLESS, JWT, PEM, SECRETS } from './samples.ts';

const redactor = (parts: Partial<RedactorParts> = {}): Redactor =>
  new Redactor({ known: true, patterns: [], own: [], ...parts });
const known = redactor();
const OWN = { name: 'DEPLOY_TOKEN', value: 'd3ploy/tok+en "value" of ünit' };
const own = redactor({ own: [OWN] });

describe('known forms', () => {
  test.each(SECRETS)('%s is taken out of where it stands (%#)', (id, secret, around) => {
    const [before = '', after = ''] = around.split(/%/);
    const text = before + secret + after;
    expect(known.text(text)).toBe(`${before}[redacted: ${id}]${after}`);
  });

  test('each has a sample', () => {
    const sampled = new Set(SECRETS.map(([id]) => id));
    const without = new Set(KNOWN_FORMS.map(({ id }) => id).filter((id) => !sampled.has(id)));
    expect([...without]).toEqual(['google-token', 'api-token', 'sendgrid-key', 'azure-key']);
  });

  test('each is in the documentation', () => {
    const page = readFileSync(new URL('../../../docs/redaction.md', import.meta.url), 'utf8');
    for (const { id } of KNOWN_FORMS) expect(page).toContain(`\`${id}\``);
  });

  test.each(Object.entries(HARMLESS))('%s is left as it is', (_, text) => {
    expect(known.text(text)).toBe(text);
  });

  test.each(['package-lock.json', 'src/policy/redact/known-forms.ts', 'docs/security.md'])(
    '%s is left as it is',
    (file) => {
      const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      expect(known.redact(text).findings).toEqual([]);
    },
  );

  test('a key that was cut off is taken out as far as it goes', () => {
    expect(known.text(`x\n${PEM.slice(0, 200)}`)).toBe('x\n[redacted: private-key]');
    expect(known.text(`${PEM.slice(0, 200)}\n\nnext!`)).toMatch(/^\[redacted: private-key\]n?e?x?t?!$/);
  });

  test('switched off, none is looked for', () => {
    for (const [, secret] of SECRETS) expect(redactor({ known: false }).text(secret)).toBe(secret);
  });
});

describe("the user's own secrets", () => {
  test.each(secretForms(OWN.value))('are found in the form %s', (form) => {
    expect(own.text(`<${form}>`)).toBe('<[redacted: own DEPLOY_TOKEN]>');
  });

  test('are found inside a longer text in base64, and where a tool has broken its lines', () => {
    for (const before of ['', 'a', 'ab']) {
      const packed = Buffer.from(`${before}${OWN.value} and more`).toString('base64');
      expect(own.text(packed)).toContain('[redacted: own DEPLOY_TOKEN]');
      expect(own.text(packed.replaceAll(/.{15}/g, '$&\n'))).toContain('[redacted: own DEPLOY_TOKEN]');
    }
  });

  test('are named, also inside of a known form, and alone where that is asked', () => {
    const token = { name: 'GH', value: SECRETS.find(([id]) => id === 'github-token')?.[1] ?? '' };
    const both = redactor({ own: [token] });
    expect(both.redact(`a ${token.value} b`).findings).toMatchObject([{ own: 'GH', id: 'own GH' }]);
    expect(both.text(`a ${JWT} ${token.value}`, { ownOnly: true })).toBe(`a ${JWT} [redacted: own GH]`);
  });
});

describe("the user's patterns", () => {
  const patterns = [{ id: 'customer', regexp: linearRegExp('CUST-\\d+|redacted|^x.*y$') }];
  const mine = redactor({ patterns });

  test('are held against each line', () => {
    expect(mine.text('a CUST-12 b\nxay\nxb\ny')).toBe('a [redacted: customer] b\n[redacted: customer]\nxb\ny');
  });

  test('leave alone what stands for a secret', () => {
    const once = mine.text(`redacted ${SECRETS[5]?.[1]} CUST-1`);
    expect(once).toBe('[redacted: customer] [redacted: github-token] [redacted: customer]');
    expect(mine.text(once)).toBe(once);
  });

  test('that match everywhere take the whole line', () => {
    const every = redactor({ patterns: [{ id: 'every', regexp: linearRegExp('a.*z|a') }] });
    expect(every.text(`b${'a'.repeat(100_000)}`).length).toBeLessThan(10_000);
  });
});

describe('of any text', () => {
  const all = redactor({ own: [OWN], patterns: [{ id: 'p', regexp: linearRegExp('[a-c]{5}') }] });
  const piece = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(...SECRETS.map(([, secret]) => secret), ...secretForms(OWN.value)),
    fc.constantFrom(' ', '\n', '"', '=', 'TOKEN=', 'eyJ', '://u:', '@', '\\n', 'Authorization: Bearer ', '-----BEGIN '),
    fc.constantFrom('[redacted: ', ']', '[redacted: jwt]'),
  );
  const texts = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));

  test('the result is left as it is when it comes again', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(all.text(all.text(text))).toBe(all.text(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('in pieces the same comes out as in one', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (text, sizes) => {
        const whole = own.text(text);
        const window = own.window();
        let out = '';
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          out += window.push(text.slice(at, at + size));
          at += size;
        }
        // Alone, a piece cannot tell what adjoins a secret that is gone.
        expect(own.text(out + window.end())).toBe(whole);
      }),
      { numRuns: 3_000 },
    );
  });

  test('text that is no beginning of anything is not held back', () => {
    const window = known.window();
    expect(window.push('The model says: ')).toBe('The model says: ');
    expect(window.push('hello.\n')).toBe('hello.\n');
  });
});

describe('work', () => {
  const M = 1_000_000;
  const fill = (text: string): string => text.repeat(Math.ceil(M / text.length)).slice(0, M);
  const long = { name: 'L', value: `${'ab'.repeat(3_000)}cdefg` };
  test.each([
    ...KNOWN_FORMS.flatMap(({ anchors }) => anchors.slice(0, 1)).map((anchor) => [anchor]),
    ...[
      'a',
      'TOKEN=',
      'A_TOKEN=',
      ':_auth=',
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----a',
      'eyJ.',
      '://a:b',
      'ab',
    ].map((x) => [x]),
    ['-----BEGIN PRIVATE KEY-----aaaa-----END '],
  ])('for each character is bounded, also with a megabyte of %s', (unit) => {
    const hostile = redactor({ own: [OWN, long] });
    hostile.text(fill(unit));
    hostile.text(`-----BEGIN PRIVATE KEY-----${fill(unit)}`);
    expect(hostile.looked).toBeLessThan(2 * 26 * M);
  });

  test('beyond the bound a text goes unseen, and is not shown', () => {
    const hostile = redactor({ own: [{ name: 'L', value: `${'ab'.repeat(3_000)}cdefg` }] });
    expect(hostile.text(fill('ab'))).toBe('[redacted: unexamined]');
  });
});

test('nested values are copied only where something is found, keys included', () => {
  const secret = SECRETS[5]?.[1] ?? '';
  const value = { a: [{ [secret]: 1 }], b: { c: 'x' } };
  const copy = known.deep(value);
  expect(copy).toEqual({ a: [{ '[redacted: github-token]': 1 }], b: { c: 'x' } });
  expect(copy.b).toBe(value.b);
  const clean = { a: ['b'] };
  expect(known.deep(clean)).toBe(clean);
});

test('patterns of the user are about contents, and not about the words that a record consists of', () => {
  const all = redactor({ patterns: [{ id: 'all', regexp: linearRegExp('(?s).+') }] });
  expect(all.deep({ type: 'outcome', outcome: 'completed', exitCode: 0, reason: 'It ended.' })).toEqual({
    ...{ type: 'outcome', outcome: 'completed', exitCode: 0 },
    reason: '[redacted: all]',
  });
  // What a model or a tool chose is contents, names of fields included.
  expect(all.deep({ call: 'c1', arguments: { type: 'x', list: [{ id: 'y' }] } })).toEqual({
    call: 'c1',
    arguments: { '[redacted: all]': [{ '[redacted: all]': '[redacted: all]' }] },
  });
  // Secrets are secret everywhere.
  const secret = SECRETS[5]?.[1] ?? '';
  expect(known.deep({ type: secret, [secret]: { id: secret } })).toEqual({
    type: '[redacted: github-token]',
    '[redacted: github-token]': { id: '[redacted: github-token]' },
  });
});

test('a pattern counts in the shortest text too', () => {
  const pin = redactor({ patterns: [{ id: 'pin', regexp: linearRegExp('\\b[0-9]{4}\\b') }] });
  expect(pin.text('1234\n')).toBe('[redacted: pin]\n');
});

test('the end of a text that was cut counts, where it may be the beginning of a secret', () => {
  const secret = SECRETS[5]?.[1] ?? '';
  for (let length = 8; length < secret.length; length++) {
    expect(known.text(`x ${secret.slice(0, length)}`, { cut: true })).toBe('x [redacted: github-token]');
  }
  expect(known.text('the end', { cut: true })).toBe('the end');
});
