import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowedAuthorities, canBeAllowed, isNearby } from '../../src/lib/allow-host.ts';
import { authorityText, parseAuthority } from '../../src/lib/authority.ts';

const hostish = fc
  .array(
    fc.constantFrom(
      ...['api', 'example', 'com', 'EXAMPLE', '.', '.', ':', '443', '80', '0', '1', '127', '0x7f', '-', '_', '@', '%'],
      ...[
        '%2e',
        '[',
        ']',
        '::1',
        'xn--',
        'xn--bcher-kva',
        'ü',
        '\0',
        '\t',
        ' ',
        '/',
        '\\',
        '?',
        '#',
        '*',
        'fe80',
        '::ffff:',
      ],
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const anything = fc.oneof(
  hostish,
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.domain(),
  fc.webAuthority(),
  fc.ipV6(),
);

describe('a host and a port', () => {
  test('that are taken have one form, and taking that form gives it again', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const found = parseAuthority(text, 443);
        if ('problem' in found) return;
        expect(parseAuthority(authorityText(found))).toEqual(found);
        expect(authorityText(found)).toBe(authorityText(found).toLowerCase());
      }),
      { numRuns: 20_000 },
    );
  });

  test('are what the URL parser of browsers and of Node takes them for', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const found = parseAuthority(text, 80);
        if ('problem' in found) return;
        const url = URL.parse(`http://${text}/`);
        expect(url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')).toBe(found.host);
        expect(Number(url?.port === '' ? 80 : url?.port)).toBe(found.port);
        expect(`${url?.username}${url?.password}`).toBe('');
      }),
      { numRuns: 20_000 },
    );
  });

  test.each([
    ['Example.COM.:443', 'example.com:443'],
    ['[2001:DB8:0:0::1]:80', '[2001:db8::1]:80'],
    ['[::FFFF:127.0.0.1]:80', '[::ffff:7f00:1]:80'],
    ['a_b.example:1', 'a_b.example:1'],
    ['127.0.0.1:65535', '127.0.0.1:65535'],
  ])('%s is %s', (text, form) => {
    const found = parseAuthority(text);
    expect('problem' in found ? found : authorityText(found)).toBe(form);
  });

  test.each([
    ...[
      '',
      'a',
      'a:',
      ':443',
      'a:0',
      'a:65536',
      'a:00443',
      'a..b:1',
      '.a:1',
      'a..:1',
      '-a:1',
      'a-:1',
      'a b:1',
      'a/b:1',
    ],
    ...['u@a:1', 'a%2eb:1', 'a\0b:1', 'ü.example:1', `${'a'.repeat(64)}:1`, `${'a.'.repeat(130)}b:1`, '*.a:1'],
    ...[
      '1.2.3:1',
      '1.2.3.4.5:1',
      '01.2.3.4:1',
      '256.1.1.1:1',
      '0x1.2.3.4:1',
      'a.1:1',
      'a.0x1:1',
      '[1.2.3.4]:1',
      '[::1:1',
    ],
    ...['[::1%1]:1', '[fe80::1%eth0]:1', '::1:1', '[]:1', '[a]:1'],
  ])('%j is none', (text) => {
    expect(parseAuthority(text)).toHaveProperty('problem');
  });
});

describe('--allow', () => {
  test.each([
    ['registry.example', ['registry.example:443', 'registry.example:80']],
    ['Registry.Example.:8443', ['registry.example:8443']],
    ['bücher.example:443', ['xn--bcher-kva.example:443']],
    ['8.8.8.8', ['8.8.8.8:443', '8.8.8.8:80']],
    ['127.0.0.1:4873', ['127.0.0.1:4873']],
    ['localhost:4873', ['localhost:4873']],
    ['[::1]:4873', ['[::1]:4873']],
    ['10.1.2.3:8080', ['10.1.2.3:8080']],
    ['[2606:4700::1111]:443', ['[2606:4700::1111]:443']],
  ])('%s stands for %j', (text, authorities) => {
    expect(allowedAuthorities(text)).toEqual(authorities);
  });

  test.each([
    ['*.example.com', 'without wildcards'],
    ['*', 'without wildcards'],
    ['https://example.com', 'address of a page'],
    ['example.com/path', 'address of a page'],
    ['localhost', 'needs its port'],
    ['127.0.0.1', 'needs its port'],
    ['192.168.1.1', 'needs its port'],
    ['169.254.169.254:80', 'nothing can be allowed'],
    ['0.0.0.0:80', 'nothing can be allowed'],
    ['[::ffff:127.0.0.1]:80', 'nothing can be allowed'],
    ['224.0.0.1:80', 'nothing can be allowed'],
    ['user@example.com', 'user name'],
    ['example.com:99999', 'port'],
    ['2130706433:80', 'form that is not taken'],
    ['::1:80', 'brackets'],
    ['', 'empty'],
  ])('%s is refused: %s', (text, why) => {
    expect(() => allowedAuthorities(text)).toThrow(why);
  });

  test('knows what is near by, which is never suggested', () => {
    for (const near of ['localhost:1', '127.0.0.1:1', '10.0.0.1:1', '[::1]:1', '169.254.169.254:80']) {
      expect(isNearby(near), near).toBe(true);
      expect(canBeAllowed(near), near).toBe(false);
    }
    for (const far of ['a.example:443', '8.8.8.8:53']) expect(canBeAllowed(far), far).toBe(true);
  });
});
