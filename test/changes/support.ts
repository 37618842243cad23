import { execFileSync } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { makePatch, type Patch } from '../../src/changes/patch.ts';
import { selectChanges } from '../../src/changes/select-changes.ts';
import { asRead, changeSet, type MadeSet, readTree, type Tree, writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';

/** Nothing of this machine's git configuration. */
const PLAIN_GIT = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };

/** git as somebody types it, with more environment where a test is about that. Returns what it wrote. */
export function git(
  cwd: string,
  args: readonly string[],
  { input, env }: { readonly input?: Buffer; readonly env?: Readonly<Record<string, string>> } = {},
): Buffer {
  return execFileSync('git', args, { cwd, env: { ...PLAIN_GIT, ...env }, input, stdio: 'pipe', maxBuffer: 1 << 30 });
}

/** A repository with one commit of a tree. */
export function repository(tree: Tree): string {
  const root = writeTree(tempFolder('re-'), tree);
  git(root, ['init', '-q']);
  git(root, ['add', '-A', '-f']);
  git(root, ['-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'start']);
  return root;
}

export function patchOf({ set, store }: MadeSet, named: readonly string[] = []): Promise<Patch> {
  return makePatch(store, selectChanges(set, named, '/'), { folder: tempFolder('pa-') });
}

/** The patch of two trees, after `git apply` of it has made the one into the other in a repository and in a plain folder. */
export async function applied(before: Tree, after: Tree): Promise<Buffer> {
  const patch = await patchOf(changeSet(before, after));
  const bytes = await buffer(patch.bytes());
  expectApplies(bytes, before, after);
  return bytes;
}

export function expectApplies(bytes: Buffer, before: Tree, after: Tree): void {
  for (const root of [repository(before), writeTree(tempFolder('pl-'), before)]) {
    if (bytes.length > 0) git(root, ['apply', '--whitespace=nowarn', '-'], { input: bytes });
    expect(readTree(root)).toEqual(withoutFolders(asRead(after)));
  }
}

function withoutFolders(tree: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).filter(([, node]) => !(typeof node === 'object' && node !== null && 'dir' in node)),
  );
}
