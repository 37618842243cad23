import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { asRead, changeSet, readTree, sha256, type Tree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { applied, expectApplies, git, patchOf, repository } from './support.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex');
const OTHER_PNG = Buffer.concat([PNG, Buffer.from([0, 1, 2, 255])]);

test('an added text file, an empty one and one without a final newline are in the patch (D50)', async () => {
  const patch = await applied({ a: 'a\n' }, { a: 'a\n', 'new.txt': 'new\n', empty: '', 'no-newline': 'x' });
  expect(patch.toString()).toContain('\\ No newline at end of file\n');
});

test('an empty folder is named as left out, and a folder with something in it is not (D50)', async () => {
  const made = changeSet(
    { gone: { dir: true }, 'full/old': 'x' },
    { empty: { dir: true }, full: { dir: true }, 'full/new': 'x', 'b/c': { dir: true }, 'b/c/d': { link: '../x' } },
  );
  expect((await patchOf(made)).left).toEqual([
    { path: 'empty', why: 'empty-folder' },
    { path: 'gone', why: 'empty-folder' },
  ]);
});

test('binary files are changed, added and deleted together with text, whatever .gitattributes says (D52)', async () => {
  const before: Tree = {
    '.gitattributes': '*.txt -diff\n*.md binary\n',
    'a.png': PNG,
    'gone.png': OTHER_PNG,
    'marked.txt': 'one\ntwo\n',
    'b.md': 'one\n',
    'c.c': 'int c;\n',
  };
  const after: Tree = {
    '.gitattributes': '* -diff\n*.txt -diff\n*.md binary\n',
    'a.png': OTHER_PNG,
    'new.png': PNG,
    'marked.txt': 'one\nthree\n',
    'b.md': 'two\n',
    'c.c': 'int d;\n',
  };
  const patch = (await applied(before, after)).toString();
  for (const hunk of ['-two\n+three\n', '-one\n+two\n', '-int c;\n+int d;\n']) expect(patch).toContain(hunk);
  expect(patch.match(/^GIT binary patch$/gm)).toHaveLength(3);
});

test('blank lines at the end of the context stay (D53)', async () => {
  const patch = await applied({ f: 'one\n\n \n' }, { f: 'ONE\n\n \n' });
  expect(patch.toString()).toMatch(/-one\n\+ONE\n \n {2}\n$/);
});

test('bytes that are not UTF-8 come through (D54)', async () => {
  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
  const patch = await applied({ f: latin1('caf\xe9 1\nrest \xff\n') }, { f: latin1('caf\xe9 2\nrest \xff\n') });
  expect(patch.includes(latin1('+caf\xe9 2\n'))).toBe(true);
});

test('CRLF, a BOM, lone carriage returns and form feeds are bytes like others (D57)', async () => {
  const patch = await applied(
    { crlf: 'a\r\nb\r\n', bom: '\ufeffx\ny\n', odd: 'a\rb\fc\n', 'to-lf': 'a\r\n' },
    { crlf: 'a\r\nB\r\n', bom: '\ufeffx\nz\n', odd: 'a\rB\fc\n', 'to-lf': 'a\n' },
  );
  expect(patch.toString()).toContain(' a\r\n-b\r\n+B\r\n');
});

test.each([
  ['core.autocrlf', ['core.autocrlf=true'], ''],
  ['an attribute', [], '* text=auto eol=crlf\n'],
])(
  'a patch applies to a checkout whose CRLF come from %s, and changes that line alone (D57)',
  async (_, settings, text) => {
    const source = repository({ '.gitattributes': text, 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
    const root = path.join(tempFolder(), 'clone');
    git(source, ['clone', '-q', ...settings.flatMap((one) => ['-c', one]), source, root]);
    const before = readTree(root) as Record<string, Buffer>;
    expect(before['a.txt']?.toString(), 'control: git converted it').toBe('one\r\ntwo\r\nthree\r\n');
    const after = { ...before, 'a.txt': 'one\r\n2\r\nthree\r\n' };
    const bytes = await buffer((await patchOf(changeSet(before, after))).bytes());
    expect(bytes.toString().match(/^[-+](?![-+])/gm)).toEqual(['-', '+']);
    git(root, ['apply', '-'], { input: bytes });
    expect(readTree(root)).toEqual(asRead(after));
    expect(git(root, ['diff', '--numstat']).toString()).toBe('1\t1\ta.txt\n');
  },
);

const NAMES = [
  'ä.txt',
  'q"x',
  'a\\x09b',
  'a\\x0ab',
  ' leading',
  'trailing ',
  '-rf',
  'a -> b',
  '{a}',
  '*',
  'back\\x5cslash',
  'caf\\xe9.txt',
  'é e/ü b/ß',
  '\\x7f',
  "it's",
  'b/a b/x',
  ':(top)x',
  '.gitattributes',
];

test('unusual names are changed, added and deleted, and selected one by one (D56)', async () => {
  const tree = (content: string): Tree => Object.fromEntries(NAMES.map((name) => [name, content]));
  const [one, two] = [tree('one\n'), tree('two\n')];
  await applied(one, two);
  await applied({}, one);
  await applied(one, {});
  const made = changeSet(one, two);
  for (const name of NAMES) {
    const bytes = await buffer((await patchOf(made, [name])).bytes());
    expectApplies(bytes, one, { ...one, [name]: 'two\n' });
  }
});

test('the executable bit alone makes a patch without contents (D64)', async () => {
  const patch = await applied(
    { 'run.sh': 'x\n', 'not.sh': { run: 'x\n' } },
    { 'run.sh': { run: 'x\n' }, 'not.sh': 'x\n' },
  );
  expect(patch.toString().split('\n').sort()).toEqual(
    [
      '',
      'diff --git a/not.sh b/not.sh',
      'diff --git a/run.sh b/run.sh',
      'new mode 100644',
      'new mode 100755',
      'old mode 100644',
      'old mode 100755',
    ].sort(),
  );
});

test('links are added, turned round and removed, and files become links and folders', async () => {
  await applied(
    { a: { link: 'x' }, gone: { link: 'x' }, 'now-link': 'text\n', 'now-folder': 'text\n', 'now-file/a': '1\n' },
    {
      a: { link: 'y/z' },
      new: { link: 'caf\\xe9' },
      'now-link': { link: 'a' },
      'now-folder/b': 'b\n',
      'now-file': '2\n',
    },
  );
});

test('no change gives an empty patch', async () => {
  expect(await applied({ a: 'a' }, { a: 'a' })).toHaveLength(0);
});

test('a change whose content is gone is left out and named, the rest is there', async () => {
  const made = changeSet({ a: 'a\n', b: 'b\n', m: 'm\n' }, { a: 'A\n', b: 'B\n', m: { run: 'm\n' } });
  for (const name of ['a\n', 'm\n']) rmSync(made.store.blobPath(sha256(name)));
  const patch = await patchOf(made);
  expect(patch.left).toEqual([{ path: 'a', why: 'content-missing' }]);
  expectApplies(await buffer(patch.bytes()), { b: 'b\n', m: 'm\n' }, { b: 'B\n', m: { run: 'm\n' } });
});

test('a content that was altered in the store ends it with an error', async () => {
  const made = changeSet({}, { a: 'good\n' });
  const file = made.store.blobPath(sha256('good\n'));
  writeFileSync(file, 'evil\n');
  await expect(patchOf(made)).rejects.toMatchObject({ code: 'state', message: expect.stringContaining('was altered') });
  writeFileSync(file, 'evil, and longer\n');
  await expect(patchOf(made)).rejects.toMatchObject({ code: 'state' });
});

test('lines are counted per path, whatever its name', async () => {
  const made = changeSet(
    { 'a\\x0a\\x09b': '1\n2\n', 'x.png': PNG },
    { 'a\\x0a\\x09b': '1\n3\n4\n', 'x.png': OTHER_PNG, l: { link: 'x' } },
  );
  const counts = await (await patchOf(made)).counts();
  expect(Object.fromEntries(counts)).toEqual({
    'a\n\tb': { added: 2, removed: 1 },
    'x.png': 'binary',
    l: { added: 1, removed: 0 },
  });
});
