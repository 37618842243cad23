import { expect, test } from 'vitest';
import { classifyRisks } from '../../src/changes/risk/classify.ts';
import { MAX_CONTENT_BYTES } from '../../src/changes/risk/limits.ts';
import { classesOf, risksOf, told } from './risk-support.ts';

test.each<[string, string]>([
  ['a right-to-left override', 'a\nb\u202ec\nd\n'],
  ['an isolate', 'a\n// \u2066x\u2069\n'],
  ['a zero-width space', 'a\nx\u200by\n'],
  ['a word joiner', 'a\nx\u2060y\n'],
  ['a soft hyphen', 'a\nx\u00ady\n'],
  ['tags', 'a\n\u{e0041}\u{e0042}\n'],
  ['variation selectors that carry data', 'a\nx\u{e0100}\u{e0101}\n'],
  ['a filler that is a letter for JavaScript', 'a\nconst \u3164 = 1\n'],
  ['a line separator', 'a\n// x\u2028evil()\n'],
  ['a C1 control', 'a\n\u009b31m\n'],
  ['a byte order mark that is not at the start', 'a\n\ufeffx\n'],
  ['a joiner between letters that need none', 'a\nad\u200dmin\n'],
  ['two joiners', 'a\n\u0646\u200c\u200c\u0645\n'],
  ['a flag with other tags', 'a\n\u{1f3f4}\u{e0061}\u{e007f}\n'],
])('%s in an added line is hidden, whatever surrounds it', (_name, text) => {
  expect(risksOf({ path: 'a.txt', after: text })).toEqual([
    {
      class: 'hidden-unicode',
      what: expect.stringMatching(/^U\+[0-9A-F]{4,6}( and \d+ more)? in line 2$/),
      lines: [2, 2],
    },
  ]);
  // Bytes that are no UTF-8 hide nothing.
  const broken = Buffer.concat([Buffer.from([0xe9, 0x20]), Buffer.from(text)]);
  expect(classesOf({ path: 'a.txt', after: broken })).toEqual(['hidden-unicode']);
});

test.each<[string, string | Buffer]>([
  ['a byte order mark at the start', '\ufeffa\n'],
  ['families and professions', '👨‍👩‍👧‍👦 👩🏽‍⚕️ 🏳️‍🌈 🐈‍⬛ ❤️‍🔥\n'],
  ['a keycap and a heart', '1️⃣ ❤️ ☎︎\n'],
  ['flags of England, Scotland and Wales', '🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿\n'],
  ['Persian with a non-joiner', 'می\u200cخواهم\n'],
  ['Hindi with a joiner', 'क्\u200dष\n'],
  ['other scripts', 'grün 日本語 עברית العربية ไทย\n'],
  ['Latin-1', Buffer.from('caf\xe9 na\xefve \xa0\xad\n', 'latin1')],
])('%s hides nothing', (_name, after) => {
  expect(told({ path: 'a.txt', after })).toEqual([]);
});

test('only added lines count', () => {
  const before = 'x\u202ey\none\ntwo\n';
  expect(told({ path: 'a.txt', before, after: before.replace('two', 'three') })).toEqual([]);
  expect(told({ path: 'a.txt', before, after: `new\n${before}z\u200b\u200b\n` })).toEqual([
    'U+200B and 1 more in line 5 @5',
  ]);
  const many = Array.from({ length: 2000 }, (_, index) => `line ${index} \u202e\n`);
  const after = many.map((line, index) => (index % 2 === 0 ? line : 'x\n'));
  expect(told({ path: 'a.txt', before: many.join(''), after: `${after.join('')}\u200b` })).toEqual([
    'U+200B in line 2001 @2001',
  ]);
});

test('a long content is looked through to its end, in blocks', () => {
  const line = 'ä'.repeat(100_000);
  expect(told({ path: 'a.txt', after: `${`${line}\n`.repeat(5)}x\u202e` })).toEqual(['U+202E in line 6 @6']);
  expect(told({ path: 'a.txt', after: `${line.repeat(10)}\u202e` })).toEqual(['U+202E in line 1 @1']);
});

test('hidden characters everywhere are counted up to a limit', () => {
  const risks = told({ path: 'a.txt', after: '\u200b\n'.repeat(20_000) });
  expect(risks).toHaveLength(20);
  expect(risks.at(-1)).toBe('at least 9981 more places');
});

test('a name can hide, too (EX11)', () => {
  expect(told({ path: 'a\u202egpj.sh', after: 'x' })).toEqual(['U+202E in the name']);
  expect(told({ path: Buffer.from('caf\xe9.txt', 'latin1'), after: 'x' })).toEqual([]);
  expect(told({ path: 'a\\b ä.txt', after: 'x' })).toEqual([]);
});

test('what nobody can read is binary', () => {
  expect(told({ path: 'a.png', after: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') })).toEqual(['16 B']);
  expect(classesOf({ path: 'a', before: 'text', after: Buffer.from('a\0b') })).toEqual(['binary']);
  expect(classesOf({ path: 'a', after: Buffer.from('text', 'utf16le') })).toEqual(['binary']);
  const noZero = Buffer.from(Array.from({ length: 4000 }, (_, index) => ((index * 7) % 255) + 1));
  expect(classesOf({ path: 'a', after: noZero })).toEqual(['binary']);
  expect(classesOf({ path: 'a', before: noZero, after: 'text' })).toEqual([]);
  expect(classesOf({ path: 'a', before: noZero })).toEqual([]);
  expect(classesOf({ path: 'a.log', after: '\u001b[31mred\u001b[0m\n\fpage\r\n' })).toEqual([]);
  expect(classesOf({ path: 'a', after: '' })).toEqual([]);
});

test('what was not looked at is a risk, and is not asked for', () => {
  const state = { type: 'file' as const, executable: false, size: MAX_CONTENT_BYTES + 1, sha256: 'a'.repeat(64) };
  const never = () => {
    throw new Error('asked for');
  };
  const large = classifyRisks({ path: 'Makefile', kind: 'add', after: state }, { before: never, after: never });
  expect(large.map((risk) => risk.class)).toEqual(['build-script', 'binary']);
  expect(large[1]?.what).toMatch(/too large/);
  const gone = { before: () => undefined, after: () => undefined };
  const missing = classifyRisks({ path: 'x', kind: 'add', after: { ...state, size: 1 } }, gone);
  expect(missing).toEqual([{ class: 'binary', what: 'content not at hand' }]);
});

test('without the start content every line counts as changed', () => {
  const after = Buffer.from('a\nb\u202e\n');
  const state = { type: 'file' as const, executable: false, size: after.length, sha256: 'a'.repeat(64) };
  const change = { path: 'Makefile', kind: 'modify' as const, before: state, after: state };
  expect(classifyRisks(change, { before: () => undefined, after: () => after })).toEqual([
    { class: 'build-script', what: 'build file', lines: [1, 2] },
    { class: 'hidden-unicode', what: 'U+202E in line 2', lines: [2, 2] },
  ]);
});
