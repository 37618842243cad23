import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type SelectOptions, selectFiles } from '../../src/workspace/select.ts';
import type { Selection } from '../../src/workspace/selection.ts';

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the machine's git with the repository's own configuration in force, and no other. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'latin1',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          [`GIT_${who}_NAME`, 'test'],
          [`GIT_${who}_EMAIL`, 'test@localhost'],
        ]),
      ),
    },
  });
}

export function commitAll(cwd: string): void {
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '--allow-empty', '-m', 'state');
}

/** Writes files by path; folders come by themselves. */
export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export function newRepository(files: Readonly<Record<string, string>> = {}): string {
  const root = temporaryFolder();
  git(root, 'init', '-q');
  write(root, files);
  return root;
}

export async function select(root: string, options: Partial<SelectOptions> = {}): Promise<Selection> {
  return selectFiles({
    root,
    include: [],
    exclude: [],
    contextFiles: true,
    trustProject: false,
    scratchRoot: temporaryFolder(),
    env: {},
    ...options,
  });
}

/** Paths of selected entries, folders with a trailing slash; bytes as latin1. */
export function paths(selection: Selection, types: readonly string[] = ['file', 'symlink', 'dir']): string[] {
  return selection.entries
    .filter(({ type }) => types.includes(type))
    .map(({ path, type }) => path.toString('latin1') + (type === 'dir' ? '/' : ''));
}
