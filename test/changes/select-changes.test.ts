import { expect, test } from 'vitest';
import { selectChanges } from '../../src/changes/select-changes.ts';
import { changeSet } from '../support/change-sets.ts';

const { set } = changeSet(
  {},
  { 'a.txt': '', 'src/a.txt': '', 'src/deep/b.txt': '', 'src-x': '', 'caf\\xe9': '', 'back\\x5cx41': '', '-rf': '' },
  { refused: [{ path: 'src/dev', reason: 'device', detail: 'A device is not handed back.' }] },
);
const select = (named: string[], cwd = '/elsewhere'): string[] =>
  selectChanges(set, named, cwd).map((change) => change.path);

test('no path selects all, in the order of the set', () => {
  expect(select([])).toEqual(set.changes.map((change) => change.path));
  expect(select(['.'])).toEqual(select([]));
  expect(select(['src-x', 'a.txt'])).toEqual(['a.txt', 'src-x']);
});

test.each<[string[], string, string[]]>([
  [['src'], '/elsewhere', ['src/a.txt', 'src/deep/b.txt']],
  [['src/'], '/elsewhere', ['src/a.txt', 'src/deep/b.txt']],
  [['./src//deep/../a.txt'], '/elsewhere', ['src/a.txt']],
  [['/repo/src/a.txt'], '/elsewhere', ['src/a.txt']],
  [['a.txt'], '/repo', ['a.txt']],
  [['a.txt'], '/repo/src', ['src/a.txt']],
  [['.'], '/repo/src/deep', ['src/deep/b.txt']],
  [['..'], '/repo/src', []],
  [['../a.txt'], '/repo/src', ['a.txt']],
  [['a.txt'], '/repository', ['a.txt']],
  [['caf\\xe9'], '/elsewhere', ['caf\\xe9']],
  [['back\\x41'], '/elsewhere', ['back\\x5cx41']],
  [['back\\x5cx41'], '/elsewhere', ['back\\x5cx41']],
  [['-rf'], '/elsewhere', ['-rf']],
])('%j from %s', (named, cwd, paths) => {
  expect(select(named, cwd)).toEqual(paths.length === 0 ? select([]) : paths);
});

test('an empty path is a mistake and does not select all', () => {
  expect(() => select([''])).toThrow('An empty path names nothing.');
  expect(() => select(['src', ''], '/repo')).toThrow('An empty path names nothing.');
});

test('a path that selects nothing is an error that names the nearest', () => {
  const error = (name: string, cwd?: string): unknown => {
    try {
      return select([name], cwd);
    } catch (thrown) {
      return thrown;
    }
  };
  expect(error('src/b.txt')).toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('Did you mean "src/a.txt"?'),
  });
  expect(error('src/a.txt/x')).toMatchObject({ code: 'usage' });
  expect(error('../x')).toMatchObject({ message: expect.stringContaining('outside of the repository /repo') });
  expect(error('/repository/a.txt')).toMatchObject({ message: expect.stringContaining('outside') });
  expect(error('dev', '/repo/src')).toMatchObject({ message: expect.stringContaining('A device is not handed back.') });
});
