import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { expectApplies, git, repository } from '../changes/support.ts';
import { type Tree, writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { ranOver } from './diff-support.ts';

const BEFORE: Tree = { 'a.txt': 'same\nold\n', 'sub/a.txt': 'same\nold\n', '.gitattributes': '' };
const AFTER: Tree = {
  ...BEFORE,
  'sub/a.txt': 'same\nnew\n',
  '.gitattributes': '* diff=evil filter=evil -text\n*.txt -diff\nsub/*.txt diff=evil\n',
};
const FORMS = [[], ['--stat'], ['--json'], ['--patch']] as const;

/** A program that leaves a marker, as a pager, a filter, a hook, or something that git asks. */
function trap() {
  const folder = tempFolder('tr-');
  const [script, marker] = [path.join(folder, 'evil'), path.join(folder, 'MARKER')];
  writeFileSync(script, `#!/bin/sh\n: > ${marker}\nexec cat 2>/dev/null\n`);
  chmodSync(script, 0o755);
  const sprung = (): boolean => {
    const there = existsSync(marker);
    rmSync(marker, { force: true });
    return there;
  };
  return { folder, script, sprung };
}

/** Content and names on which each of the settings below shows. */
const TELLING_OLD: Tree = {
  'ä.txt': 'a\n\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n',
  'sub/a.txt': 'same\nold\n',
  'old-name.txt': 'moved\n'.repeat(9),
  twisted: 'd\n{\nb\nc\ne\n{\n}\n',
};
const TELLING_NEW: Tree = {
  'ä.txt': 'a\n\nB\nc\nd\ne\nf\ng\nh\ni\nJ\nk\nl\n',
  'sub/a.txt': 'same\nnew\n',
  'new-name.txt': 'moved\n'.repeat(9),
  twisted: '{\n{\nc\na\nd\n{\ne\n',
};

interface Taste {
  readonly config?: readonly [key: string, value: string];
  readonly env?: Readonly<Record<string, string>>;
}
const setting = (key: string, value: string): Taste => ({ config: [key, value] });
const TASTES: Readonly<Record<string, Taste>> = {
  'diff.noprefix': setting('diff.noprefix', 'true'),
  'diff.mnemonicPrefix': setting('diff.mnemonicPrefix', 'true'),
  'diff.context': setting('diff.context', '0'),
  'diff.interHunkContext': setting('diff.interHunkContext', '9'),
  'diff.suppressBlankEmpty': setting('diff.suppressBlankEmpty', 'true'),
  'diff.algorithm': setting('diff.algorithm', 'patience'),
  'diff.renames': setting('diff.renames', 'false'),
  'diff.orderFile': setting('diff.orderFile', 'ORDER'),
  'core.quotePath': setting('core.quotePath', 'false'),
  'core.abbrev': setting('core.abbrev', '20'),
  'core.attributesFile': setting('core.attributesFile', 'ATTRIBUTES'),
  'color.ui': setting('color.ui', 'always'),
  GIT_DIFF_OPTS: { env: { GIT_DIFF_OPTS: '-u0' } },
  GIT_CONFIG_COUNT: {
    env: { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'diff.noprefix', GIT_CONFIG_VALUE_0: 'true' },
  },
  GIT_CONFIG_PARAMETERS: { env: { GIT_CONFIG_PARAMETERS: "'diff.noprefix'='true'" } },
  GIT_CONFIG_SYSTEM: { env: { GIT_CONFIG_SYSTEM: 'SETTINGS', GIT_CONFIG_NOSYSTEM: '0' } },
  XDG_CONFIG_HOME: { env: { XDG_CONFIG_HOME: 'HOME/xdg' } },
  GIT_DIR: { env: { GIT_DIR: '/nonexistent' } },
  GIT_OBJECT_DIRECTORY: { env: { GIT_OBJECT_DIRECTORY: '/nonexistent' } },
  GIT_INDEX_FILE: { env: { GIT_INDEX_FILE: '/nonexistent' } },
};

test.each(Object.keys(TASTES))(
  'the user’s %s changes the diff of plain git and no byte of the patch (D55)',
  async (name) => {
    const { config, env: more = {} } = TASTES[name]!;
    const home = tempFolder();
    const files = { ORDER: 'sub/*\n', ATTRIBUTES: '*.txt binary\n', SETTINGS: '[diff]\n\tnoprefix = true\n' };
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(home, file), text);
    mkdirSync(path.join(home, 'xdg/git'), { recursive: true });
    writeFileSync(path.join(home, 'xdg/git/attributes'), files.ATTRIBUTES);
    const filled = (value: string): string => (value in files ? path.join(home, value) : value.replace('HOME', home));
    const global = path.join(home, '.gitconfig');
    writeFileSync(global, '');
    if (config !== undefined) git(home, ['config', '--file', global, config[0], filled(config[1])]);
    const env = {
      HOME: home,
      GIT_CONFIG_GLOBAL: global,
      ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, filled(value)])),
    };

    const { run, diff } = ranOver(TELLING_OLD, TELLING_NEW);
    const { stdoutBytes } = await run(['diff', 'last', '--patch'], { env });
    expect(stdoutBytes).toEqual((await diff('--patch')).stdoutBytes);
    expectApplies(stdoutBytes, TELLING_OLD, TELLING_NEW);

    const root = repository(TELLING_OLD);
    for (const name of Object.keys(TELLING_OLD)) rmSync(path.join(root, name));
    writeTree(root, TELLING_NEW);
    git(root, ['add', '-A']);
    const plain = git(root, ['diff', '--cached']);
    expect(plain.length).toBeGreaterThan(100);
    let tasted: Buffer | undefined;
    try {
      tasted = git(root, ['diff', '--cached'], { env });
    } catch {
      // Plain git finds no repository, or nothing in it.
    }
    expect(tasted, 'positive control: plain git obeys').not.toEqual(plain);
  },
);

interface Trick {
  readonly name: string;
  /** Settings; SCRIPT is the trap. */
  readonly config?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What springs it when somebody types it. */
  readonly control: readonly string[];
}

const TRICKS: readonly Trick[] = [
  { name: 'diff.external (GT3)', config: { 'diff.external': 'SCRIPT' }, control: ['diff'] },
  { name: 'diff.command (GT3)', config: { 'diff.evil.command': 'SCRIPT' }, control: ['diff'] },
  { name: 'diff.textconv (GT3)', config: { 'diff.evil.textconv': 'SCRIPT' }, control: ['diff'] },
  { name: 'filter.clean (GT2)', config: { 'filter.evil.clean': 'SCRIPT' }, control: ['add', '-A'] },
  { name: 'filter.process (GT2)', config: { 'filter.evil.process': 'SCRIPT' }, control: ['add', '-A'] },
  { name: 'core.fsmonitor (GT1)', config: { 'core.fsmonitor': 'SCRIPT' }, control: ['status'] },
  { name: 'core.hooksPath (GT1)', config: { 'core.hooksPath': 'HOOKS' }, control: ['add', '-A'] },
  { name: 'GIT_EXTERNAL_DIFF (GT3)', env: { GIT_EXTERNAL_DIFF: 'SCRIPT' }, control: ['diff'] },
];

test.each(TRICKS)('$name of user and repository fires for plain git and not for diff', async (trick) => {
  const { folder, script, sprung } = trap();
  const hooks = path.join(folder, 'hooks');
  mkdirSync(hooks);
  for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit']) {
    writeFileSync(path.join(hooks, hook), `#!/bin/sh\nexec ${script}\n`);
    chmodSync(path.join(hooks, hook), 0o755);
  }
  const filled = (value: string): string => value.replace('SCRIPT', script).replace('HOOKS', hooks);
  // The repository looks as it would after the changes were applied.
  const root = repository({ ...AFTER, 'a.txt': 'old\n' });
  writeFileSync(path.join(root, 'a.txt'), 'new\n');
  writeFileSync(path.join(root, 'sub/a.txt'), 'newer\n');
  const globalConfig = path.join(folder, '.gitconfig');
  for (const [key, value] of Object.entries(trick.config ?? {})) {
    git(root, ['config', key, filled(value)]);
    git(root, ['config', '--file', globalConfig, key, filled(value)]);
  }
  const more = Object.entries(trick.env ?? {}).map(([name, value]) => [name, filled(value)]);
  const env: Record<string, string> = { HOME: folder, GIT_CONFIG_GLOBAL: globalConfig, ...Object.fromEntries(more) };

  const { run } = ranOver(BEFORE, AFTER, { root });
  for (const form of FORMS) {
    const { code, stdout } = await run(['diff', 'last', ...form], { env, cwd: root });
    expect({ code, sprung: sprung() }).toEqual({ code: 0, sprung: false });
    if (form[0] !== '--json') expect(stdout).toContain('sub/a.txt');
  }
  try {
    git(root, trick.control, { env });
  } catch {
    // The trap may make git fail.
  }
  expect(sprung(), 'positive control: plain git runs it').toBe(true);
});

test('attributes of the tree hide no line (D52, GT2)', async () => {
  const { diff } = ranOver(BEFORE, { ...AFTER, '.gitattributes': '* binary\n' });
  for (const form of [[], ['--patch']]) expect((await diff(...form)).stdout).toContain('-old\n+new\n');
  const root = repository({ ...BEFORE, '.gitattributes': '* binary\n' });
  writeFileSync(path.join(root, 'sub/a.txt'), 'same\nnew\n');
  expect(git(root, ['diff']).toString(), 'positive control').toContain('Binary files a/sub/a.txt');
});
