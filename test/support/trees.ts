import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Manifest, type ManifestEntry, manifestKey } from '../../src/protocol/manifest.ts';
import { type RawMember, rawArchive } from './raw-archive.ts';

/** What a tree in memory holds at a path. */
export type Node =
  | { readonly type: 'file'; readonly content: Buffer; readonly mode: number }
  | { readonly type: 'symlink'; readonly target: Buffer }
  | { readonly type: 'dir' };

/** A tree by path (bytes as Latin-1); folders have entries of their own, before what is in them. */
export type Tree = Map<string, Node>;

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Names that lists, shells, JSON and other disks stumble over. */
const ODD_NAMES = [
  'ä.txt', 'q"x', 'tab\there', 'line\nfeed', ' leading', 'trailing ', '-rf', 'a -> b', '{a}', '*', '\\back', 'C:x', 'CON',
  'dot.', '\x1b[31m', '\u202egpj.exe', 'README.md', 'readme.md', 'Straße', 'STRASSE', 'caf\u00e9', 'cafe\u0301', '$(x)',
  'HEAD', 'objects', 'refs', 'config', '.gitignore', '.gitattributes',
]; // biome-ignore format: a list

/** A name that Linux takes. */
const name: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
    { weight: 3, arbitrary: fc.constantFrom(...ODD_NAMES.map((odd) => Buffer.from(odd).toString('latin1'))) },
    {
      weight: 2,
      arbitrary: fc
        .uint8Array({ minLength: 1, maxLength: 8 })
        .map((bytes) =>
          Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0x5f : byte))).toString('latin1'),
        ),
    },
    { weight: 1, arbitrary: fc.integer({ min: 90, max: 255 }).map((length) => 'n'.repeat(length)) },
  )
  .filter((text) => text !== '.' && text !== '..' && text !== '.git');

const content: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom('', 'one\n', 'one\r\ntwo\r\n', '\ufeffwith a mark\n', 'no final line feed', 'x'.repeat(513))
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(512, 1024, 4000).map((size) => Buffer.alloc(size, 'block')),
);

const target: fc.Arbitrary<Buffer> = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b/c', '../a', './d', 'a/../b', 'missing', '../../a') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('/etc/passwd', '../../../../..', '.git/config', '..', '.', 'n'.repeat(150)),
    },
    { weight: 1, arbitrary: name },
  )
  .map(latin1);

const node: fc.Arbitrary<Node> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('file' as const),
      content,
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o444, 0o777),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('symlink' as const), target }) },
  { weight: 1, arbitrary: fc.constant({ type: 'dir' as const }) },
);

/** A path with its node: put into a tree by `put`. */
const placed = fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), node);

/** A tree. */
export const tree: fc.Arbitrary<Tree> = fc.array(placed, { maxLength: 14 }).map((all) => {
  const made: Tree = new Map();
  for (const [parts, what] of all) put(made, parts.join('/'), what);
  return made;
});

/** What an agent may do to a tree; numbers choose among what is there. */
type Edit =
  | { readonly do: 'put'; readonly path: readonly string[]; readonly node: Node }
  | { readonly do: 'replace'; readonly which: number; readonly node: Node }
  | { readonly do: 'remove'; readonly which: number }
  | { readonly do: 'mode'; readonly which: number; readonly mode: number }
  | { readonly do: 'rename'; readonly which: number; readonly name: string };

const which = fc.nat(1000);
const gitName = fc.constantFrom('.git', '.GIT', 'git~1', '.git ', '.g\xe2\x80\x8cit');
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ do: fc.constant('put' as const), path: fc.array(name, { minLength: 1, maxLength: 3 }), node }),
  fc.record({ do: fc.constant('replace' as const), which, node }),
  fc.record({ do: fc.constant('put' as const), path: fc.tuple(name, gitName, name), node }),
  fc.record({ do: fc.constant('remove' as const), which }),
  fc.record({ do: fc.constant('mode' as const), which, mode: fc.constantFrom(0o644, 0o755) }),
  fc.record({ do: fc.constant('rename' as const), which, name }),
);

/** What an agent did. */
export const edits: fc.Arbitrary<Edit[]> = fc.array(edit, { maxLength: 8 });

/** The tree afterwards; the given one stays as it is. */
export function edited(before: Tree, all: readonly Edit[]): Tree {
  const after: Tree = new Map(before);
  for (const one of all) {
    if (one.do === 'put') {
      put(after, one.path.join('/'), one.node);
      continue;
    }
    const path = [...after.keys()][one.which % Math.max(1, after.size)];
    const old = path === undefined ? undefined : after.get(path);
    if (path === undefined || old === undefined) continue;
    if (one.do === 'remove') remove(after, path);
    if (one.do === 'replace') put(after, path, one.node);
    if (one.do === 'mode' && old.type === 'file') after.set(path, { ...old, mode: one.mode });
    if (one.do === 'rename') rename(after, path, [...path.split('/').slice(0, -1), one.name].join('/'));
  }
  return sorted(after);
}

/** Puts a node where it can be: what lies above it becomes folders, what it replaces goes. */
function put(into: Tree, path: string, what: Node): void {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = parts.slice(0, depth).join('/');
    if (into.get(folder)?.type !== 'dir') {
      into.delete(folder);
      into.set(folder, { type: 'dir' });
    }
  }
  if (what.type === 'dir' && into.get(path)?.type === 'dir') return;
  remove(into, path);
  into.set(path, what);
}

function remove(from: Tree, path: string): void {
  for (const key of [...from.keys()]) if (key === path || key.startsWith(`${path}/`)) from.delete(key);
}

function rename(inside: Tree, from: string, to: string): void {
  if (from === to) return;
  const moved = [...inside].filter(([key]) => key === from || key.startsWith(`${from}/`));
  remove(inside, from);
  remove(inside, to);
  for (const [key, what] of moved) inside.set(to + key.slice(from.length), what);
}

/** Folders before what is in them. */
function sorted(one: Tree): Tree {
  return new Map([...one].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function manifestOf(one: Tree): Manifest {
  return new Map(
    [...one].map(([key, what]): [string, ManifestEntry] => {
      const path = latin1(key);
      const entry = { path, type: what.type, mode: 0o755, size: 0 };
      if (what.type === 'dir') return [manifestKey(path), entry];
      if (what.type === 'symlink') return [manifestKey(path), { ...entry, mode: 0o777, target: what.target }];
      const sha256 = createHash('sha256').update(what.content).digest('hex');
      return [manifestKey(path), { ...entry, mode: what.mode, size: what.content.length, sha256 }];
    }),
  );
}

/** Members as tar writes them. */
function membersOf(one: Tree): RawMember[] {
  return [...sorted(one)].map(([key, what]): RawMember => {
    const path = latin1(`./${key}`);
    if (what.type === 'dir') return { name: Buffer.concat([path, latin1('/')]), type: '5' };
    if (what.type === 'symlink') return { name: path, type: '2', target: what.target, mode: 0o777 };
    return { name: path, content: what.content, mode: what.mode };
  });
}

export function archiveOf(one: Tree): Buffer {
  return rawArchive(membersOf(one));
}
