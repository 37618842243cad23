import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { changeSetDigest } from '../../src/changes/digest.ts';
import { ChangeStore } from '../../src/changes/store.ts';
import { parsePath, showPath } from '../../src/lib/path-bytes.ts';
import type { Change, ChangeKind, ChangeSet, FileState } from '../../src/protocol/changes.ts';
import { tempFolder } from './cli.ts';

/** Text or bytes of a plain file, or something else. */
export type Node =
  | string
  | Buffer
  | { readonly run: string | Buffer }
  | { readonly link: string }
  | { readonly dir: true };
/** By path, escaped as it is shown. */
export type Tree = Readonly<Record<string, Node>>;

export const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

export interface MadeSet {
  readonly set: ChangeSet;
  readonly store: ChangeStore;
}

/** The change set between two trees, saved in a store of its own with all contents. */
export function changeSet(
  before: Tree,
  after: Tree,
  more: Partial<ChangeSet> & {
    readonly risks?: Readonly<Record<string, Change['risks']>>;
    readonly folder?: string;
  } = {},
): MadeSet {
  const { risks = {}, folder = tempFolder('cs-'), ...fields } = more;
  const store = new ChangeStore(folder);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  names.sort((a, b) => Buffer.compare(parsePath(a), parsePath(b)));
  const changes = names.flatMap((name): Change[] => {
    const [old, now] = [before[name], after[name]].map((node) => stateOf(node, store));
    const kind = kindOf(old, now);
    if (kind === undefined) return [];
    const sides = { ...(old && { before: old }), ...(now && { after: now }) };
    return [{ path: name, kind, ...sides, risks: risks[name] ?? [] }];
  });
  const set = {
    v: 1 as const,
    run: '20261130T021610-3f9a2c',
    root: '/repo',
    outcome: 'complete' as const,
    reasons: [],
    refused: [],
    refusedCount: fields.refused?.length ?? 0,
    ignored: [],
    ignoredCount: 0,
    changes,
    ...fields,
  };
  const whole = { ...set, digest: changeSetDigest(set) };
  store.save(whole);
  return { set: whole, store };
}

/** Writes a tree into a folder. */
export function writeTree(root: string, tree: Tree): string {
  for (const [name, node] of Object.entries(tree)) {
    const file = Buffer.concat([Buffer.from(`${root}/`), parsePath(name)]);
    const parent = Buffer.from(path.posix.dirname(file.toString('latin1')), 'latin1');
    mkdirSync(parent, { recursive: true });
    if (typeof node === 'string' || Buffer.isBuffer(node)) writeFileSync(file, node);
    else if ('link' in node) symlinkSync(parsePath(node.link), file);
    else if ('dir' in node) mkdirSync(file, { recursive: true });
    else {
      writeFileSync(file, node.run);
      chmodSync(file, 0o755);
    }
  }
  return root;
}

/** What lies in a folder, apart from `.git` and folders that hold something, in a form that can be compared. */
export function readTree(root: string): Record<string, Node> {
  const tree: Record<string, Node> = {};
  const walk = (folder: Buffer, shown: Buffer): void => {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      if (shown.length === 0 && name.toString() === '.git') continue;
      const file = Buffer.concat([folder, Buffer.from('/'), name]);
      const relative = shown.length === 0 ? name : Buffer.concat([shown, Buffer.from('/'), name]);
      const stats = lstatSync(file);
      if (stats.isDirectory()) walk(file, relative);
      else if (stats.isSymbolicLink()) {
        tree[showPath(relative)] = { link: showPath(readlinkSync(file, { encoding: 'buffer' })) };
      } else {
        const content = readFileSync(file);
        tree[showPath(relative)] = (stats.mode & 0o100) === 0 ? content : { run: content };
      }
    }
  };
  walk(Buffer.from(root), Buffer.alloc(0));
  return tree;
}

/** A tree in the form that `readTree` gives. */
export function asRead(tree: Tree): Record<string, Node> {
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => {
      if (typeof node === 'string') return [name, Buffer.from(node)];
      if (!Buffer.isBuffer(node) && 'run' in node) return [name, { run: Buffer.from(node.run) }];
      return [name, node];
    }),
  );
}

function stateOf(node: Node | undefined, store: ChangeStore): FileState | undefined {
  if (node === undefined) return undefined;
  if (typeof node === 'object' && 'link' in node) return { type: 'symlink', target: node.link };
  if (typeof node === 'object' && 'dir' in node) return { type: 'dir' };
  const executable = typeof node === 'object' && 'run' in node;
  const content = Buffer.from(executable ? node.run : node);
  const hash = sha256(content);
  store.writeBlob(hash, content);
  return { type: 'file', executable, size: content.length, sha256: hash };
}

function kindOf(before: FileState | undefined, after: FileState | undefined): ChangeKind | undefined {
  if (before === undefined) return 'add';
  if (after === undefined) return 'delete';
  if (before.type !== after.type) return 'type';
  if (before.type === 'file' && after.type === 'file') {
    if (before.sha256 !== after.sha256) return 'modify';
    return before.executable === after.executable ? undefined : 'mode';
  }
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : 'modify';
}
