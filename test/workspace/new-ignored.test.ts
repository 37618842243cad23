import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ignoredWhenNew } from '../../src/workspace/new-ignored.ts';
import { git, newRepository, select, write } from './support.ts';

const NAMES = [
  'x.log',
  'sub/x.log',
  'sub/keep.log',
  'sub/y.tmp',
  'y.tmp',
  'dist/a',
  'sub/dist/a',
  'own',
  'a.c',
  'local.x',
];

test.each([[[] as string[]], [['dist/a']], [['*.log', 'sub/dist']]])(
  'what is new is judged as git judges it, but for --include %s',
  async (include) => {
    const root = newRepository({
      '.gitignore': '*.log\n/dist/\n',
      'sub/.gitignore': '!keep.log\n*.tmp\ndist\n',
      'sub/a': '',
    });
    writeFileSync(join(root, '.git/info/exclude'), 'local.x\n');
    const selection = await select(root, { include });
    const isIgnored = await ignoredWhenNew(selection, { include, env: {} });
    write(root, Object.fromEntries(NAMES.map((name) => [name, ''])));
    const shown = git(root, 'ls-files', '-co', '--exclude-standard').split('\n');
    const included = (name: string) =>
      include.some(
        (pattern) =>
          name === pattern || (pattern === '*.log' && name.endsWith('.log')) || name.startsWith(`${pattern}/`),
      );
    for (const name of NAMES) {
      expect([name, isIgnored?.(Buffer.from(name), false)]).toEqual([name, !shown.includes(name) && !included(name)]);
    }
  },
);

test('rules that only git can follow leave nothing out', async () => {
  const root = newRepository({ '.gitignore': `${'**/a/'.repeat(4)}b\n` });
  expect(await ignoredWhenNew(await select(root), { include: [], env: {} })).toBeUndefined();
});
