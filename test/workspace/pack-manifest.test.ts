import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { ManifestEntry } from '../../src/protocol/manifest.ts';
import { packSelection } from '../../src/workspace/pack.ts';
import type { Selection } from '../../src/workspace/selection.ts';
import { newRepository, select } from './support.ts';

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const contentOf = (archive: Buffer, name: string): Buffer =>
  execFileSync('tar', ['-xO', '-f', '-', name], { input: archive, maxBuffer: 64 << 20 });

/** The archive and what was told of its members; `onFirst` runs while the first chunk is on its way. */
async function pack(selection: Selection, onFirst: () => void = () => {}) {
  const chunks: Buffer[] = [];
  const told: ManifestEntry[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (chunks.push(Buffer.from(chunk)) === 1) onFirst();
      setImmediate(done);
    },
  });
  await packSelection(selection, sink, { uid: 1, gid: 1, onEntry: (entry) => told.push(entry) });
  return { archive: Buffer.concat(chunks), told };
}

test('every member is told of with its type, mode, size, target and the hash of its content', async () => {
  const root = newRepository({ 'd/tool': '12345', empty: '' });
  const large = Buffer.alloc(1_000_003, 'content that crosses chunks');
  writeFileSync(join(root, 'large'), large);
  chmodSync(join(root, 'd/tool'), 0o4751);
  symlinkSync('../x', join(root, 'd/link'));
  const { told } = await pack(await select(root));
  const file = (path: string, mode: number, content: Uint8Array) => {
    return { path: Buffer.from(path), type: 'file', mode, size: content.length, sha256: sha256(content) };
  };
  expect(told).toEqual([
    { path: Buffer.from('d'), type: 'dir', mode: expect.any(Number), size: 0 },
    { path: Buffer.from('d/link'), type: 'symlink', mode: 0o777, size: 0, target: Buffer.from('../x') },
    file('d/tool', 0o751, Buffer.from('12345')),
    file('empty', 0o644, Buffer.alloc(0)),
    file('large', 0o644, large),
  ]);
});

test.each([
  ['grows', (file: string) => appendFileSync(file, 'more')],
  ['shrinks', (file: string) => truncateSync(file, 200_000)],
  ['is rewritten', (file: string) => writeFileSync(file, Buffer.alloc(3 << 20, 'new'))],
])('the hash of a file that %s meanwhile is that of the bytes that were sent (D43)', async (_what, change) => {
  const root = newRepository();
  const file = join(root, 'moving');
  writeFileSync(file, Buffer.alloc(3 << 20, 'old'));
  const { archive, told } = await pack(await select(root), () => change(file));
  const sent = contentOf(archive, 'moving');
  expect(told).toMatchObject([{ size: sent.length, sha256: sha256(sent) }]);
});

test('what could not be packed is not told of', async () => {
  const root = newRepository({ a: 'a', z: 'z' });
  const selection = await select(root);
  execFileSync('rm', [join(root, 'a')]);
  const { told } = await pack(selection);
  expect(told.map(({ path }) => path.toString())).toEqual(['z']);
});
