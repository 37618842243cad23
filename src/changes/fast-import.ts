import { blobChunks } from './blob-chunks.ts';
import type { PatchTrees, TreeFile } from './patch-trees.ts';
import type { ChangeStore } from './store.ts';

/** Refs of the two states in the scratch repository. */
export const BEFORE = 'refs/states/before';
export const AFTER = 'refs/states/after';

/** Small pieces are sent together, bytes. */
const BATCH_BYTES = 64 * 1024;

/** Both states for `git fast-import`: two commits without parents. */
export async function* importStream(trees: PatchTrees, store: ChangeStore): AsyncGenerator<Buffer, void> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces(trees, store)) {
    batch.push(piece);
    bytes += piece.length;
    if (bytes < BATCH_BYTES) continue;
    yield Buffer.concat(batch);
    batch = [];
    bytes = 0;
  }
  yield Buffer.concat(batch);
}

function* pieces(trees: PatchTrees, store: ChangeStore): Generator<Buffer, void> {
  // Without its last word the stream counts as cut, whatever the reason.
  yield Buffer.from('feature done\n');
  yield* commit(BEFORE, trees.before, store);
  yield* commit(AFTER, trees.after, store);
  yield Buffer.from('done\n');
}

function* commit(ref: string, files: readonly TreeFile[], store: ChangeStore): Generator<Buffer, void> {
  yield Buffer.from(`commit ${ref}\ncommitter - <-> 0 +0000\ndata 0\n`);
  for (const { path, mode, content } of files) {
    const size = Buffer.isBuffer(content) ? content.length : content.size;
    yield Buffer.from(`M ${mode} inline ${quoted(path)}\ndata ${size}\n`);
    if (Buffer.isBuffer(content)) yield content;
    else yield* blobChunks(store, content.sha256, content.size);
    yield Buffer.from('\n');
  }
}

/** A path as git reads it, whatever bytes it has. */
function quoted(path: Buffer): string {
  let text = '"';
  for (const byte of path) {
    const plain = byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    text += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `${text}"`;
}
