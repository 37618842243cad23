import { describe, expect, test } from 'vitest';
import { Wildcard } from '../../src/lib/wildcard.ts';

describe('a glob', () => {
  test.each([
    ['.env', '.env', true],
    ['.env', 'x.env', false],
    ['*.pem', 'a.pem', true],
    ['*.pem', '.pem', true],
    ['*.pem', 'a/b.pem', false],
    ['*', '', true],
    ['?', 'a', true],
    ['?', '/', false],
    ['?', '\u{1F600}', true],
    ['a*b*c', 'a--b--b-c', true],
    ['a*b*c', 'a--b--b-', false],
    ['**', 'a/b', true],
    ['a**c', 'a/b/c', true],
    ['**/x', 'x', true],
    ['**/x', 'a/b/x', true],
    ['**/x', 'a/bx', false],
    ['/**/x', '/x', true],
    ['/**/x', '/ax', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/xb', false],
    ['**/**/b', 'x/b', true],
    ['a.b', 'axb', false],
    ['[ab]', 'a', true],
    ['[ab]*', 'c', false],
    ['[!ab]', 'c', true],
    ['[^a-c]', 'b', false],
    ['[]]', ']', true],
    ['a[/]b', 'a/b', false],
    ['[!a]', '/', false],
    ['[', '[', true],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['a\\?', 'a?', true],
  ])('%s on %j is %s', (glob, text, expected) => {
    expect(new Wildcard(glob).matches(text)).toBe(expected);
  });

  test.each([
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/b/c/d', true],
    ['/a/b', '/a/bc', false],
    ['/a/*', '/a/b/c', true],
    ['/a/*', '/a', false],
    ['/**/.git/hooks', '/w/.git/hooks/x', true],
    ['/**/.git/hooks', '/w/.git/hooksx', false],
    ['', '/anything', true],
  ])('%s holds for %s and what is in it: %s', (glob, path, expected) => {
    expect(new Wildcard(glob).matchesWithin(path)).toBe(expected);
  });

  test.each([
    ['*', 'a/b', true],
    ['*/', '', false],
    ['*/', 'a/', true],
    ['**/x', 'x', false],
    ['a?b', 'a/b', true],
    ['a[/]b', 'a/b', true],
    ['a[!x]b', 'a/b', true],
    ['a/*-[45]', 'a/b/c-4', true],
    ['a/*-[45]', 'a/b/c-3', false],
    ['\\*/', '*/', true],
    ['\\*/', 'a/', false],
  ])('%s on the text %j is %s', (glob, text, expected) => {
    expect(new Wildcard(glob, { text: true }).matches(text)).toBe(expected);
  });

  test('what comes first is taken as it stands', () => {
    expect(new Wildcard('/*.x', { literal: '/w*' }).matches('/w*/a.x')).toBe(true);
    expect(new Wildcard('/*.x', { literal: '/w*' }).matches('/ww/a.x')).toBe(false);
  });

  test('no glob makes it slow', () => {
    const started = performance.now();
    expect(new Wildcard(`${'*a'.repeat(128)}b`).matches('a'.repeat(4095))).toBe(false);
    expect(new Wildcard(`${'**/'.repeat(85)}b`).matches('a/'.repeat(2047))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
