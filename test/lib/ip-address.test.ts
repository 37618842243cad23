import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressKind, canonicalAddress } from '../../src/lib/ip-address.ts';

/** The same ranges once more, in the hands of Node. */
function notPublic(): { four: BlockList; six: BlockList } {
  const lists = { four: new BlockList(), six: new BlockList() };
  const four = '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24';
  const more = '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';
  for (const range of `${four} ${more} 168.63.129.16/32`.split(' ')) {
    const [first = '', bits] = range.split('/');
    lists.four.addSubnet(first, Number(bits), 'ipv4');
  }
  const six = '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20';
  for (const range of six.split(' ')) {
    const [first = '', bits] = range.split('/');
    lists.six.addSubnet(first, Number(bits), 'ipv6');
  }
  return lists;
}

test('an address is public exactly where no special range has it', () => {
  const lists = notPublic();
  const near = fc.constantFrom(0, 10, 100, 127, 169, 168, 172, 192, 198, 203, 223, 224, 240, 255, 8);
  const part = fc.oneof(
    near,
    fc.constantFrom(0, 2, 15, 16, 18, 19, 20, 31, 32, 51, 63, 64, 88, 99, 113, 127, 128, 129, 254),
    fc.nat(255),
  );
  fc.assert(
    fc.property(fc.tuple(part, part, part, part), (parts) => {
      const address = parts.join('.');
      expect(addressKind(address) === 'public', address).toBe(!lists.four.check(address, 'ipv4'));
    }),
    { numRuns: 50_000 },
  );
  const first = fc.constantFrom(
    '2000',
    '2001',
    '2002',
    '2606',
    '3fff',
    '3ffe',
    'fc00',
    'fe80',
    'ff02',
    '64',
    '0',
    '4000',
    '1fff',
  );
  const second = fc.oneof(
    fc.constantFrom('0', 'db8', '1ff', '200', '10', '20', 'fff', '1000', 'ff9b'),
    fc.nat(65_535).map((word) => word.toString(16)),
  );
  fc.assert(
    fc.property(first, second, fc.nat(65_535), (one, two, three) => {
      const address = `${one}:${two}::${three.toString(16)}`;
      expect(addressKind(address) === 'public', address).toBe(!lists.six.check(address, 'ipv6'));
    }),
    { numRuns: 20_000 },
  );
});

test('an address with another one inside is never public', () => {
  fc.assert(
    fc.property(fc.ipV4(), (four) => {
      for (const prefix of ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '::ffff:0:']) {
        expect(addressKind(canonicalAddress(`${prefix}${four}`) ?? ''), prefix + four).not.toBe('public');
      }
    }),
  );
});

test('all forms of an IPv6 address become one, and nothing else becomes one', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const form = canonicalAddress(text);
      expect(form).toBeDefined();
      expect(canonicalAddress(form ?? '')).toBe(form);
      expect(canonicalAddress(text.toUpperCase())).toBe(form);
    }),
  );
  for (const text of [
    '',
    '1',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4 ',
    '::1%lo',
    '[::1]',
    ':::',
    '1:2',
    'g::',
    '::1/64',
    '0x7f.0.0.1',
  ]) {
    expect(canonicalAddress(text), text).toBeUndefined();
  }
});
