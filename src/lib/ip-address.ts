/**
 * What an IP address is for. `public`: anywhere on the internet. `loopback` and `private`: this machine or its networks.
 * `special`: nothing that a program would want to reach by name (link-local with the metadata services of clouds,
 * multicast, documentation, addresses with another one inside).
 */
export type AddressKind = 'public' | 'loopback' | 'private' | 'special';

type Range = readonly [first: string, bits: number, kind: AddressKind];

/** IANA's registry of special-purpose IPv4 addresses; everything else is public. */
const IPV4_RANGES: readonly Range[] = [
  ['0.0.0.0', 8, 'special'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'special'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'special'],
  ['192.0.2.0', 24, 'special'],
  ['192.88.99.0', 24, 'special'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'special'],
  ['198.51.100.0', 24, 'special'],
  ['203.0.113.0', 24, 'special'],
  // Looks public, and is the way from a virtual machine of Azure to its host.
  ['168.63.129.16', 32, 'special'],
  ['224.0.0.0', 4, 'special'],
  ['240.0.0.0', 4, 'special'],
];

/** Inside of 2000::/3, which alone is public: protocol assignments with Teredo, documentation, 6to4. */
const IPV6_EXCEPTIONS: readonly (readonly [first: readonly number[], bits: number])[] = [
  [[0x2001, 0x0000], 23],
  [[0x2001, 0x0db8], 32],
  [[0x2002, 0x0000], 16],
  [[0x3fff, 0x0000], 20],
];

/** The kind of an address in the form that `canonicalAddress` gives. Anything else is `special`. */
export function addressKind(address: string): AddressKind {
  const four = ipv4Number(address);
  if (four !== undefined) return ipv4Kind(four);
  const words = ipv6Words(address);
  return words === undefined ? 'special' : ipv6Kind(words);
}

/** An IP address in its one form, without brackets; undefined for anything else, and for one with a zone. */
export function canonicalAddress(text: string): string | undefined {
  if (ipv4Number(text) !== undefined) return text;
  if (!/^[0-9A-Fa-f:.]{2,45}$/.test(text) || !text.includes(':')) return undefined;
  // The URL parser is the one place in Node that writes an IPv6 address in its shortest form.
  return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
}

/** Four decimal numbers without leading zeros and nothing else: `127.1` and `0177.0.0.1` are no addresses here. */
function ipv4Number(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

function ipv4Kind(address: number): AddressKind {
  const range = IPV4_RANGES.find(([first, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor((ipv4Number(first) ?? 0) / size);
  });
  return range?.[2] ?? 'public';
}

function ipv6Kind(words: readonly number[]): AddressKind {
  const [first = 0] = words;
  if (words.slice(0, 7).every((word) => word === 0) && words[7] === 1) return 'loopback';
  if ((first & 0xfe00) === 0xfc00) return 'private';
  if ((first & 0xe000) !== 0x2000) return 'special';
  return IPV6_EXCEPTIONS.some(([prefix, bits]) => startsWith(words, prefix, bits)) ? 'special' : 'public';
}

function startsWith(words: readonly number[], prefix: readonly number[], bits: number): boolean {
  return prefix.every((word, index) => {
    const kept = Math.min(16, Math.max(0, bits - 16 * index));
    const mask = (0xffff << (16 - kept)) & 0xffff;
    return ((words[index] ?? 0) & mask) === (word & mask);
  });
}

/** The eight words of an address in its shortest form, where nothing is written with dots. */
function ipv6Words(address: string): readonly number[] | undefined {
  const canonical = address.includes(':') ? canonicalAddress(address) : undefined;
  if (canonical === undefined) return undefined;
  const [head = '', tail] = canonical.split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  if (tail === undefined) return words(head);
  const [front, back] = [words(head), words(tail)];
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}
