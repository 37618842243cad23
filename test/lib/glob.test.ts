import { expect, test } from 'vitest';
import { PathPatterns } from '../../src/lib/glob.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

test('patterns follow gitignore: any depth without a slash, from the root with one, folders with all in them', () => {
  const patterns = new PathPatterns(['*.o', '/top', 'a/b', 'dir/', '!keep.o']);
  const yes = ['x.o', 'deep/x.o', 'top', 'top/inner', 'a/b', 'a/b/c'];
  const no = ['keep.o', 'deep/top', 'x/a/b', 'dir', 'X.O'];
  for (const path of yes) expect(patterns.matches(bytes(path), false), path).toBe(true);
  for (const path of no) expect(patterns.matches(bytes(path), false), path).toBe(false);
  expect(patterns.matches(bytes('dir'), true)).toBe(true);
});

test('a name that is not UTF-8 matches byte by byte', () => {
  const patterns = new PathPatterns(['caf?', 'gr\u00fcn']);
  expect(patterns.matches(bytes('caf\xe9'), false)).toBe(true);
  expect(patterns.matches(Buffer.from('café'), false)).toBe(false);
  expect(patterns.matches(Buffer.from('grün'), false)).toBe(true);
  expect(patterns.matches(bytes('gr\xfcn'), false)).toBe(false);
});

test('only folders on the way into a pattern lead into it', () => {
  const patterns = new PathPatterns(['node_modules/@*/lib/x.js', '*.txt', 'deep/**/y']);
  for (const path of ['node_modules', 'node_modules/@a', 'node_modules/@a/lib', 'deep', 'deep/1/2']) {
    expect(patterns.leadsInto(bytes(path)), path).toBe(true);
  }
  for (const path of ['node_modules/a', 'src', 'node_modules/@a/lib/q']) {
    expect(new PathPatterns(['node_modules/@*/lib/x.js', '*.txt']).leadsInto(bytes(path)), path).toBe(false);
  }
});

test('patterns that matched nothing are told', () => {
  const patterns = new PathPatterns(['a', 'b', '!c']);
  patterns.matches(bytes('a'), false);
  expect(patterns.unused()).toEqual(['b']);
  expect(new PathPatterns([]).matches(bytes('a'), false)).toBe(false);
});
