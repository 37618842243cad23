import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ArchiveEnd, type Member, readArchive } from '../../src/changes/read-archive.ts';
import { END, inPieces, paxHeader, rawArchive, rawMember } from '../support/raw-archive.ts';
import { archiveOf, tree } from '../support/trees.ts';

type Read = Omit<Member, 'name' | 'target'> & { name: string; target: string; content: string };

async function read(bytes: Buffer, piece = 700): Promise<{ members: Read[]; end: ArchiveEnd }> {
  const members: Read[] = [];
  let content: Buffer[] = [];
  let open: Member | undefined;
  const end = await readArchive(inPieces(bytes, piece), {
    member: (member) => {
      open = member;
      content = [];
    },
    content: (part) => content.push(Buffer.from(part)),
    end: () => {
      const { name, target, ...rest } = open!;
      const all = Buffer.concat(content).toString('latin1');
      members.push({ name: name.toString('latin1'), target: target.toString('latin1'), ...rest, content: all });
    },
  });
  return { members, end };
}

const plain = { name: './a', content: 'text' };

test('names, targets, modes, sizes and contents come out byte for byte', async () => {
  const latin1 = Buffer.from('./caf\xe9\n', 'latin1');
  const long = Buffer.from(`./${'d/'.repeat(100)}\xff`, 'latin1');
  const { members, end } = await read(
    rawArchive([
      plain,
      { name: latin1, content: Buffer.from([0, 255]), mode: 0o4755 },
      { name: long, content: '' },
      { name: './l', type: '2', target: long },
    ]),
  );
  expect(end).toEqual({ members: 5 });
  expect(members.map(({ name }) => name)).toEqual(['./', './a', './caf\xe9\n', long.toString('latin1'), './l']);
  expect(members[2]).toMatchObject({ type: 'file', mode: 0o4755, size: 2, content: '\x00\xff' });
  expect(members[4]).toMatchObject({ type: 'symlink', target: long.toString('latin1') });
});

test('what POSIX writes is read as well: prefixes, extended names, sizes in base 256', async () => {
  const base256 = (header: Buffer) => {
    header.fill(0, 124, 136);
    header[124] = 0x80;
    header.writeUInt32BE(4, 132);
  };
  const { members, end } = await read(
    rawArchive([
      { name: 'b', prefix: './a', magic: 'ustar\x0000' },
      { name: './gnu', prefix: 'times of GNU' },
      paxHeader({ path: './\xff long', mtime: '1.5', 'SCHILY.xattr.user.x': 'a=b\nc' }),
      { name: './short' },
      paxHeader({ linkpath: 'far' }),
      { name: './l', type: '2', target: 'near' },
      paxHeader({ size: '3' }),
      Buffer.concat([rawMember({ name: './s', size: 0 }), Buffer.concat([Buffer.from('abc'), Buffer.alloc(509)])]),
      paxHeader({ path: './for all' }, 'g'),
      { ...plain, patch: base256 },
    ]),
  );
  expect(end.cut).toBeUndefined();
  expect(members.map(({ name, target, content }) => [name, target, content])).toEqual([
    ['./', '', ''],
    ['./a/b', '', ''],
    ['./gnu', '', ''],
    [Buffer.from('./\xff long').toString('latin1'), '', ''],
    ['./l', 'far', ''],
    ['./s', '', 'abc'],
    ['./a', '', 'text'],
  ]);
});

const odd: readonly [string, Buffer | Parameters<typeof rawMember>[0], string][] = [
  ['a hard link', { name: './x', type: '1', target: './a' }, 'hardlink'],
  ['a character device', { name: './x', type: '3' }, 'device'],
  ['a block device', { name: './x', type: '4' }, 'device'],
  ['a named pipe', { name: './x', type: '6' }, 'fifo'],
  ['a contiguous file', { name: './x', type: '7', content: 'abc' }, 'unknown'],
  ['a dump of a folder', { name: './x', type: 'D', content: 'Yfile\0\0' }, 'unknown'],
  ['a part of another volume', { name: './x', type: 'M', content: 'abc' }, 'unknown'],
  ['a volume label', { name: 'label', type: 'V' }, 'unknown'],
  ['a type of its own', { name: './x', type: 'Z', content: 'abc' }, 'unknown'],
  ['a sparse file of GNU', { name: './x', type: 'S', content: 'abc' }, 'sparse'],
  [
    'one whose map goes on',
    Buffer.concat([
      rawMember({ name: './x', type: 'S', size: 3, patch: (header) => header.writeUInt8(1, 482) }),
      Buffer.alloc(504).fill('m'),
      Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.alloc(512),
      Buffer.alloc(512, 'abc\0'),
    ]),
    'sparse',
  ],
  [
    'a sparse file of POSIX',
    Buffer.concat([
      paxHeader({ 'GNU.sparse.major': '1', 'GNU.sparse.name': './x' }),
      rawMember({ name: 'y', content: 'abc' }),
    ]),
    'sparse',
  ],
];

test.each(odd)('%s is told by its type, and what follows is read (EX4, EX6)', async (_, member, type) => {
  const { members, end } = await read(rawArchive([member, plain]));
  expect(end.cut).toBeUndefined();
  expect(members[1]).toMatchObject({ type });
  expect(members[2]).toMatchObject({ name: './a', content: 'text' });
});

const good = rawArchive([plain]);
const inserted = (bytes: Buffer): Buffer => rawArchive([plain, bytes, plain]);
const broken: readonly [string, Buffer, RegExp][] = [
  ['no end', good.subarray(0, -1024), /end is missing/],
  ['one block of its end', good.subarray(0, -512), /ends inside/],
  ['a member after one zero block', Buffer.concat([good.subarray(0, -512), rawMember(plain), END]), /follows its end/],
  ['another archive behind it', Buffer.concat([good, good]), /follows its end/],
  ['one byte behind it', Buffer.concat([good, Buffer.from('x')]), /follows its end/],
  ['endless zeros behind it', Buffer.concat([good, Buffer.alloc(2 << 20)]), /follows its end/],
  ['a wrong checksum', inserted(Buffer.from(rawMember(plain)).fill('9', 148, 149)), /checksum/],
  ['a block that is no header', inserted(Buffer.alloc(512, 'x')), /no header/],
  ['a header from before POSIX', inserted(rawMember({ ...plain, magic: '\0\0\0\0\0\0\0\0' })), /no header/],
  ['a size that is no number', inserted(rawMember({ ...plain, patch: (header) => header.write('1x', 124) })), /number/],
  ['a negative size', inserted(rawMember({ ...plain, patch: (header) => header.fill(255, 124, 136) })), /number/],
  ['a link with content', inserted(rawMember({ name: './l', type: '2', content: 'x' })), /content that its type/],
  ['a folder with content', inserted(rawMember({ name: './d/', type: '5', content: 'x' })), /content that its type/],
  [
    'a size above all disks',
    inserted(rawMember({ ...plain, patch: (header) => header.write('77777777777\0'.padStart(12, '7'), 124) })),
    /./,
  ],
  [
    'an extended header that is none',
    inserted(rawMember({ name: 'pax', type: 'x', content: '99 path=x\n' })),
    /cannot be read/,
  ],
  [
    'an endless extended header',
    inserted(rawMember({ name: 'pax', type: 'x', content: 'x'.repeat(70_000) })),
    /longer than/,
  ],
  ['a long name of nothing', rawArchive([plain, paxHeader({ path: './b' })]), /belongs to no member/],
];

test.each(broken)('an archive with %s is never whole (EX12)', async (_, bytes, why) => {
  const { members, end } = await read(bytes);
  expect(end.cut).toMatch(why);
  expect(members.slice(0, 2).map(({ name }) => name)).toEqual(['./', './a']);
});

test('an archive that is cut anywhere is never whole, and gives no member that is not (EX12)', async () => {
  await fc.assert(
    fc.asyncProperty(tree, fc.nat(), fc.integer({ min: 1, max: 3000 }), async (made, seed, piece) => {
      const bytes = archiveOf(made);
      const whole = await read(bytes, piece);
      expect(whole.end).toEqual({ members: made.size + 1 });
      const places = [seed % bytes.length];
      for (let at = 0; at < bytes.length; at += 512) places.push(at);
      for (const at of places) {
        const { members, end } = await read(bytes.subarray(0, at), piece);
        expect(end.cut, `cut at ${at} of ${bytes.length}`).toBeDefined();
        expect(members).toEqual(whole.members.slice(0, members.length));
      }
    }),
    { numRuns: 60 },
  );
});

test('whatever bytes come, reading ends and only an archive is whole', async () => {
  const bytes = rawArchive([plain, paxHeader({ path: './b' }), plain, { name: './l', type: '2', target: 'x' }]);
  const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(damage, fc.uint8Array({ maxLength: 3000 })), async (what) => {
      const hostile = what instanceof Uint8Array ? Buffer.from(what) : Buffer.from(bytes);
      if (!(what instanceof Uint8Array)) for (const [at, byte] of what) hostile[at] = byte;
      const { members, end } = await read(hostile);
      if (end.cut === undefined) expect(members).toHaveLength(4);
    }),
    { numRuns: 1000 },
  );
});

test('an input that fails is a cut archive, and a sink that fails is an error', async () => {
  async function* failing() {
    yield good.subarray(0, 1024);
    throw new Error('connection lost');
  }
  const sink = { member: () => {}, content: () => {}, end: () => {} };
  expect((await readArchive(failing(), sink)).cut).toBe('reading it failed (connection lost)');
  const full = () => {
    throw new Error('disk full');
  };
  await expect(readArchive(inPieces(good), { ...sink, end: full })).rejects.toThrow('disk full');
});
