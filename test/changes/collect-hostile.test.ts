import { expect, test } from 'vitest';
import { paxHeader, type RawMember } from '../support/raw-archive.ts';
import { changesOf, collect, file, link, refusedOf, treeOf } from './collect-support.ts';

const start = treeOf({ 'kept.txt': file('kept'), 'd/inner.txt': file('inner'), 'gone.txt': file('gone') });
/** Members of a harmless archive: one file is new, one is gone. */
const plain: RawMember[] = [
  { name: './kept.txt', content: 'kept' },
  { name: './d/', type: '5' },
  { name: './d/inner.txt', content: 'inner' },
  { name: './new.txt', content: 'new' },
];
const HARMLESS = ['delete gone.txt', 'add new.txt'];

/** Each row: the hostile members among harmless ones, and what is listed. The rest is handed back every time. */
const rows: readonly [string, readonly (RawMember | Buffer)[], readonly string[]][] = [
  ['EX1: a way up', [{ name: './../x', content: 'x' }], ['bad-path ../x']],
  ['EX1: a way up further in', [{ name: './a/../../x', content: 'x' }], ['bad-path a/../../x']],
  ['EX1: an absolute path', [{ name: '/abs/x', content: 'x' }], ['bad-path /abs/x']],
  ['EX1: no name', [{ name: '', content: 'x' }], ['bad-path /']],
  ['EX1: a dot', [{ name: './a/./x', content: 'x' }], ['bad-path a/./x']],
  ['EX1: an empty part', [{ name: './a//x', content: 'x' }], ['bad-path a//x']],
  ['EX1: a NUL', [paxHeader({ path: './a\0b' }), { name: './y', content: 'x' }], ['bad-path a\\x00b']],
  [
    'EX1: a path of 5000 bytes',
    [{ name: `./${'abcd/'.repeat(1000)}`, type: '5' }],
    [expect.stringMatching(/^bad-path (abcd\/)+abcd$/)],
  ],
  [
    'EX2: a file below a link',
    [
      { name: './l', type: '2', target: 'd' },
      { name: './l/x', content: 'x' },
    ],
    ['below-link l/x'],
  ],
  [
    'EX2: a file below a link to outside',
    [
      { name: './l', type: '2', target: '/victim' },
      { name: './l/x', content: 'x' },
    ],
    ['outside l', 'below-link l/x'],
  ],
  [
    'EX2: a link that comes after what is below it',
    [
      { name: './l/x', content: 'x' },
      { name: './l', type: '2', target: '/victim' },
    ],
    ['outside l', 'below-link l/x'],
  ],
  [
    'EX2: a file below a file',
    [
      { name: './f', content: 'f' },
      { name: './f/x', content: 'x' },
    ],
    ['below-link f/x'],
  ],
  ['EX2: a link up and out', [{ name: './l', type: '2', target: '..' }], ['outside l']],
  ['EX3: a hard link to outside', [{ name: './h', type: '1', target: '/etc/passwd' }], ['hardlink h']],
  [
    'EX3: a hard link to a link, then data',
    [
      { name: './h', type: '1', target: 'l' },
      { name: './h', content: 'x' },
    ],
    ['hardlink h'],
  ],
  [
    'EX4: devices and pipes',
    [
      { name: './c', type: '3' },
      { name: './b', type: '4' },
      { name: './p', type: '6' },
    ],
    ['device b', 'device c', 'fifo p'],
  ],
  [
    'EX4: types of other tars',
    [
      { name: './7', type: '7' },
      { name: './D', type: 'D' },
      { name: './M', type: 'M' },
      { name: './V', type: 'V' },
    ],
    ['unknown-type 7', 'unknown-type D', 'unknown-type M', 'unknown-type V'],
  ],
  ['EX5: bits that change the user', [{ name: './s', content: 's', mode: 0o6755 }], ['special-bits s']],
  ['EX5: the sticky bit of a file', [{ name: './s', content: 's', mode: 0o1644 }], ['special-bits s']],
  ['EX6: a sparse file of GNU', [{ name: './s', type: 'S', content: 'x' }], ['sparse s']],
  [
    'EX6: a sparse file of POSIX',
    [
      paxHeader({ 'GNU.sparse.realsize': '8589934592', 'GNU.sparse.name': './s' }),
      { name: './GNUSparseFile.0/s', content: 'x' },
    ],
    ['sparse s'],
  ],
  [
    'EX8: folders deeper than any path',
    [{ name: `./${'d/'.repeat(300)}x`, content: 'x' }],
    [expect.stringMatching(/^bad-path (d\/){200}d$/)],
  ],
  [
    'EX8: a name longer than any',
    [{ name: `./${'n'.repeat(256)}`, content: 'x' }],
    [expect.stringMatching(/^bad-path n{256}$/)],
  ],
  [
    'EX9: two new names in other case',
    [
      { name: './Case', content: '1' },
      { name: './case', content: '2' },
    ],
    ['name-collision Case', 'name-collision case'],
  ],
  ['EX9: a new name beside one that was there', [{ name: './Kept.TXT', content: '1' }], ['name-collision Kept.TXT']],
  [
    'EX9: two Unicode forms',
    [
      { name: './caf\u00e9', content: '1' },
      { name: './cafe\u0301', content: '2' },
    ],
    ['name-collision cafe\u0301', 'name-collision caf\u00e9'],
  ],
  [
    'EX9: a folder in other case',
    [
      { name: './D/', type: '5' },
      { name: './D/new', content: '2' },
    ],
    ['name-collision D'],
  ],
  [
    'EX10: a repository in the tree',
    [
      { name: './sub/.git/', type: '5' },
      { name: './sub/.git/config', content: '[core]' },
      { name: './sub/.git/hooks/post-checkout', content: '#!' },
    ],
    ['git-metadata sub/.git'],
  ],
  [
    'EX10: a file that names a repository',
    [{ name: './sub/.git', content: 'gitdir: ../../x' }],
    ['git-metadata sub/.git'],
  ],
  ...['.GIT', 'git~1', 'GIT~1', '.git.', '.git ', '.g\u200cit', '.Git\ufeff', '.git::$INDEX_ALLOCATION', 'a\\.git'].map(
    (name): [string, RawMember[], string[]] => [
      `EX9: ${JSON.stringify(name)}`,
      [{ name: `./${name}/hooks/x`, content: '#!' }],
      [expect.stringMatching(/^git-metadata [^/]*$/)],
    ],
  ),
  [
    'GT5: a repository without .git',
    [
      { name: './bare/', type: '5' },
      { name: './bare/HEAD', content: 'ref: x' },
      { name: './bare/objects/', type: '5' },
      { name: './bare/refs/', type: '5' },
      { name: './bare/config', content: '[core]' },
    ],
    ['git-metadata bare'],
  ],
  [
    'GT5: one in a folder that was there',
    [
      { name: './d/HEAD', content: 'ref: x' },
      { name: './d/commondir', content: '../c' },
      { name: './d/config', content: '[core]' },
    ],
    ['git-metadata d/HEAD', 'git-metadata d/commondir', 'git-metadata d/config'],
  ],
  [
    'EX12: the same name twice',
    [
      { name: './twice', content: 'reviewed' },
      { name: './twice', content: 'evil' },
    ],
    ['duplicate twice'],
  ],
  [
    'EX12: a link and a file of one name',
    [
      { name: './twice', type: '2', target: 'd' },
      { name: './twice', content: 'evil' },
    ],
    ['duplicate twice'],
  ],
];

test.each(rows)('%s is refused by name, and the rest is handed back', async (_, members, refused) => {
  const collected = await collect(start, [...plain.slice(0, 3), ...members, plain[3]!]);
  expect(refusedOf(collected)).toEqual(refused);
  const others = changesOf(collected).filter((one) => !HARMLESS.includes(one));
  // Folders and links that are harmless in themselves.
  expect(others.filter((one) => !/^add (sub|l|f|d|(abcd\/?)+|(d\/?)+)$/.test(one))).toEqual([]);
  expect(changesOf(collected)).toEqual(expect.arrayContaining(HARMLESS));
  expect(collected.set.outcome).toBe('complete');
});

test('what stands beside each of these is handed back (EX1-EX12)', async () => {
  const harmless = treeOf({
    'kept.txt': file('kept'),
    'd/inner.txt': file('inner'),
    'new.txt': file('new'),
    'a..b/...': file('dots'),
    [`${'d/'.repeat(200)}x`.slice(2)]: file('deep'),
    ['n'.repeat(255)]: file('long'),
    'C:x': file('1'),
    'a\\b': file('2'),
    CON: file('3'),
    'dot.': file('4'),
    'blank ': file('5'),
    ' blank': file('6'),
    '-rf': file('7'),
    'line\nfeed': file('8'),
    '\x1b[31m': file('9'),
    '\u202egpj': file('10'),
    'link/to': link('../d/inner.txt'),
    'link/down': link('./below/../to'),
    'link/below/x': file('11'),
    'x.git/HEAD': file('12'),
    '.gitignore': file('13'),
    '.github/x': file('14'),
    'git~2': file('15'),
    run: file('16', 0o755),
  });
  const collected = await collect(start, harmless);
  expect(refusedOf(collected)).toEqual([]);
  expect(collected.set.outcome).toBe('complete');
  const files = collected.set.changes.filter(({ after }) => after !== undefined && after.type !== 'dir');
  expect(files).toHaveLength(22);
});

test('attributes, owners and times of an archive come to nothing (EX5)', async () => {
  const attributes = paxHeader({
    'SCHILY.xattr.security.capability': 'x',
    'SCHILY.acl.access': 'x',
    uid: '0',
    mtime: '9e30',
    gname: 'root',
  });
  const collected = await collect(start, [...plain.slice(0, 3), attributes, plain[3]!]);
  expect(changesOf(collected)).toEqual(HARMLESS);
  expect(refusedOf(collected)).toEqual([]);
});

test('folders with special bits are folders (EX5)', async () => {
  const collected = await collect(start, [...plain, { name: './shared/', type: '5', mode: 0o3777 }]);
  expect(changesOf(collected)).toEqual([...HARMLESS, 'add shared']);
});

test("the .git of the root is nobody's change, whatever it says (EX10, GT6, GT7)", async () => {
  const planted = [
    [
      { name: './.git/', type: '5' },
      { name: './.git/HEAD', content: 'ref: refs/heads/main' },
      { name: './.git/config', content: '[core]\n\tworktree = /\n\tfsmonitor = evil\n' },
      { name: './.git/hooks/x', content: '#!', mode: 0o755 },
      { name: './.git/info/grafts', content: `${'0'.repeat(40)} ${'1'.repeat(40)}` },
      { name: './.git/objects/info/alternates', content: '/etc' },
      { name: './.git/refs/replace/x', content: '0'.repeat(40) },
    ],
    [{ name: './.git', content: 'gitdir: /elsewhere' }],
    [{ name: './.git', type: '2', target: '/elsewhere' }],
  ];
  for (const members of planted) {
    const collected = await collect(start, [...plain, ...members]);
    expect(changesOf(collected)).toEqual(HARMLESS);
    expect(refusedOf(collected)).toEqual([]);
  }
});

test('more refused things than a list can hold are counted (EX8)', async () => {
  const many = Array.from({ length: 1200 }, (_, index): RawMember => ({ name: `./p${index}`, type: '6' }));
  const { set } = await collect(start, many);
  expect(set.refused).toHaveLength(1000);
  expect(set.refusedCount).toBe(1200);
});
