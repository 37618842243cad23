import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { git, repository } from '../changes/support.ts';
import type { Tree } from '../support/change-sets.ts';
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

const patchWithout = async (): Promise<Buffer> => (await ranOver(BEFORE, AFTER).diff('--patch')).stdoutBytes;

test.each<[string, string]>([
  ['diff.noprefix', 'true'],
  ['diff.mnemonicPrefix', 'true'],
  ['diff.srcPrefix', 'x/'],
  ['diff.context', '0'],
  ['diff.algorithm', 'patience'],
  ['color.ui', 'always'],
  ['core.quotePath', 'false'],
])('the user’s %s changes no byte of the patch (D55)', async (key, value) => {
  const home = tempFolder();
  git(home, ['config', '--file', path.join(home, '.gitconfig'), key, value]);
  const { run } = ranOver(BEFORE, AFTER);
  const env = { HOME: home, GIT_CONFIG_GLOBAL: path.join(home, '.gitconfig'), GIT_CONFIG_NOSYSTEM: undefined };
  const { stdoutBytes } = await run(['diff', 'last', '--patch'], { env });
  expect(stdoutBytes).toEqual(await patchWithout());
  expect(stdoutBytes.toString()).toContain('diff --git a/sub/a.txt b/sub/a.txt');
});

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
