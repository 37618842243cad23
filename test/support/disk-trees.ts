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
import { joinPath } from '../../src/lib/path-bytes.ts';
import type { Tree } from './trees.ts';

/** Writes a tree into an empty folder. */
export function plant(root: string, all: Tree): void {
  for (const [key, node] of all) {
    const place = joinPath(Buffer.from(root), Buffer.from(key, 'latin1'));
    if (node.type === 'dir') mkdirSync(place);
    else if (node.type === 'symlink') symlinkSync(node.target, place);
    else {
      writeFileSync(place, node.content);
      chmodSync(place, node.mode);
    }
  }
}

/** A tree in words that can be compared with `found`. */
export function described(all: Tree): Map<string, string> {
  return new Map(
    [...all].map(([key, node]) => {
      if (node.type === 'dir') return [key, 'dir'];
      if (node.type === 'symlink') return [key, `link ${node.target.toString('latin1')}`];
      return [key, `${(node.mode & 0o100) === 0 ? 'file' : 'run'} ${node.content.toString('latin1')}`];
    }),
  );
}

/** What lies in a folder, by path (bytes as Latin-1). */
export function found(root: string): Map<string, string> {
  const all = new Map<string, string>();
  const walk = (inner: Buffer): void => {
    const names = readdirSync(joinPath(Buffer.from(root), inner), { encoding: 'buffer' });
    for (const name of names.sort(Buffer.compare)) {
      const relative = joinPath(inner, name);
      const place = joinPath(Buffer.from(root), relative);
      const stats = lstatSync(place);
      const text = stats.isDirectory()
        ? 'dir'
        : stats.isSymbolicLink()
          ? `link ${readlinkSync(place, { encoding: 'buffer' }).toString('latin1')}`
          : `${(stats.mode & 0o100) === 0 ? 'file' : 'run'} ${readFileSync(place).toString('latin1')}`;
      all.set(relative.toString('latin1'), text);
      if (text === 'dir') walk(relative);
    }
  };
  walk(Buffer.alloc(0));
  return all;
}
