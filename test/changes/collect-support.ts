import { type CollectOptions, collectChanges } from '../../src/changes/collect.ts';
import { ChangeStore } from '../../src/changes/store.ts';
import type { ChangeSet } from '../../src/protocol/changes.ts';
import { tempFolder } from '../support/cli.ts';
import { inPieces, type RawMember, rawArchive } from '../support/raw-archive.ts';
import { archiveOf, manifestOf, type Node, type Tree } from '../support/trees.ts';

export const file = (content: string | Buffer, mode = 0o644): Node => ({
  type: 'file',
  content: Buffer.from(content),
  mode,
});
export const link = (target: string): Node => ({ type: 'symlink', target: Buffer.from(target) });
export const dir: Node = { type: 'dir' };

/** A tree by names in UTF-8; folders that are not named come by themselves. */
export function treeOf(nodes: Readonly<Record<string, Node>>): Tree {
  const tree: Tree = new Map();
  for (const [name, node] of Object.entries(nodes)) {
    const parts = Buffer.from(name).toString('latin1').split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      if (!tree.has(folder)) tree.set(folder, dir);
    }
    tree.set(parts.join('/'), node);
  }
  return tree;
}

export interface Collected {
  readonly set: ChangeSet;
  readonly store: ChangeStore;
}

/** Collects from an archive, from raw members, or from a tree as tar would have stored it. */
export async function collect(
  start: Tree,
  end: Tree | Buffer | readonly (RawMember | Buffer)[],
  more: Partial<CollectOptions> = {},
): Promise<Collected> {
  const bytes = Buffer.isBuffer(end) ? end : end instanceof Map ? archiveOf(end) : rawArchive([...end]);
  const { store = new ChangeStore(tempFolder('cs-')) } = more;
  const set = await collectChanges({
    archive: inPieces(bytes, 700),
    exit: async () => ({ exitCode: 0, stderr: '' }),
    start: manifestOf(start),
    readStart: (at) => {
      const node = start.get(at.toString('latin1'));
      return node?.type === 'file' ? [node.content] : undefined;
    },
    run: '20261130T021610-3f9a2c',
    root: '/repo',
    ...more,
    store,
  });
  return { set, store };
}

/** `add a.txt`, ... in order. */
export const changesOf = ({ set }: Collected): string[] => set.changes.map(({ kind, path: at }) => `${kind} ${at}`);

/** `fifo pipe`, ... in order. */
export const refusedOf = ({ set }: Collected): string[] => set.refused.map(({ reason, path: at }) => `${reason} ${at}`);
