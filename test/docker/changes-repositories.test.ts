import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { handedBack } from '../support/handed-back.ts';
import { textOf } from '../support/pi-records.ts';
import { bash, type EndedRun, git, Session } from '../support/session.ts';

const session = new Session();
const AS_ME = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
const notices = ({ records }: EndedRun): string =>
  records.flatMap((record) => (record.type === 'notice' ? [String(record['message'])] : [])).join('\n');
const content = (text: string): string => `# ${text}\n${'line\n'.repeat(20)}`;

/** Runs one edit, with a look at the history first, and returns what came back. */
async function edited(root: string, ...commands: string[]) {
  const run = await session.run(root, [bash(['git log -p --all | wc -l', ...commands].join('; ')), { text: 'done' }]);
  expect(run.code, run.stderr.toString()).toBe(0);
  return { run, back: handedBack(session, run) };
}

test('edits in submodules and in repositories of their own come back by path (D37, D38)', async () => {
  const library = session.repository('library', { 'code.c': content('library') });
  const root = session.repository('outer', { 'main.c': content('outer') });
  git(root, '-c', 'protocol.file.allow=always', ...AS_ME, 'submodule', '--quiet', 'add', library, 'lib/x');
  git(root, ...AS_ME, 'commit', '-qm', 'submodule');
  mkdirSync(path.join(root, 'services/a'), { recursive: true });
  git(path.join(root, 'services/a'), 'init', '-q');
  writeFileSync(path.join(root, 'services/a/main.c'), content('nested'));
  const change = 'for f in $(find . -name "*.c" -not -path "./.git/*"); do echo changed >> $f; done';
  const { back } = await edited(root, change);
  expect(back.list).toEqual(['modify lib/x/code.c', 'modify main.c', 'modify services/a/main.c']);
  // The submodule as the workspace: its `.git` is a file that leads out of it.
  const inside = await edited(path.join(root, 'lib/x'), change);
  expect(inside.back.list).toEqual(['modify code.c']);
});

test('a linked worktree works, and the repository that it belongs to is not in reach (D36)', async () => {
  const main = session.repository('main', { 'a.txt': content('main'), other: 'x' });
  git(main, 'worktree', 'add', '-q', path.join(session.folder, 'linked'), '-b', 'linked');
  const { run, back } = await edited(path.join(session.folder, 'linked'), 'echo changed >> a.txt; git status --short');
  expect(textOf(run.records, 'call_1_1')).toMatch(/^\d+\n M a\.txt\n$/);
  expect(back.list).toEqual(['modify a.txt']);
  expect(git(main, 'status', '--porcelain')).toBe('');
});

test('clones that lack objects or borrow them need none of them (D40)', async () => {
  const source = session.repository('source', { 'a.txt': content('one') });
  writeFileSync(path.join(source, 'a.txt'), content('two'));
  git(source, ...AS_ME, 'commit', '-qam', 'two');
  git(source, 'config', 'uploadpack.allowFilter', 'true');
  const clones = {
    partial: ['--filter=blob:none', `file://${source}`],
    borrowing: ['-s', source],
    shallow: ['--depth', '1', `file://${source}`],
  };
  for (const [name, args] of Object.entries(clones)) git(session.folder, 'clone', '-q', ...args, name);
  // What they lack is out of reach for good.
  renameSync(source, `${source}-gone`);
  for (const name of Object.keys(clones)) {
    const { run, back } = await edited(path.join(session.folder, name), 'echo changed >> a.txt');
    expect(back.list, name).toEqual(['modify a.txt']);
    expect(back.after('a.txt').toString(), name).toBe(`${content('two')}changed\n`);
    expect(textOf(run.records, 'call_1_1'), name).toMatch(/^\d\d+\n$/);
  }
});

test('what git keeps elsewhere, converts or ignores in modes makes no noise (D39, D57, D64)', async () => {
  const root = session.repository('converting', {
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt text=auto eol=crlf\n',
    'data.bin': 'as content, not as a pointer\n',
    'pointer.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    'plain.md': 'one\n',
  });
  git(root, 'config', 'core.fileMode', 'false');
  for (const name of ['data.bin', 'crlf.txt', 'plain.md', 'pointer.bin']) chmodSync(path.join(root, name), 0o777);
  const { run, back } = await edited(root, "sed -i 's/two/three/' crlf.txt");
  expect(notices(run)).toMatch(/Git LFS keeps \(\.gitattributes\).*no git-lfs/);
  expect(back.list).toEqual(['modify crlf.txt']);
  expect(back.after('crlf.txt').toString()).toBe('one\r\nthree\r\n');
  const { before, after } = back.change('crlf.txt');
  expect([before, after]).toMatchObject([{ executable: true }, { executable: true }]);

  git(session.folder, '-c', 'core.autocrlf=true', 'clone', '-q', root, 'autocrlf');
  const clone = path.join(session.folder, 'autocrlf');
  expect(readFileSync(path.join(clone, 'plain.md'), 'utf8')).toBe('one\r\n');
  const converted = await edited(clone, "sed -i 's/one/uno/' plain.md");
  expect(converted.back.list).toEqual(['modify plain.md']);
  expect(converted.back.after('plain.md').toString()).toBe('uno\r\n');
});
