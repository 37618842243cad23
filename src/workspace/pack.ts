import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { Writable } from 'node:stream';
import { joinPath, showPath } from '../lib/path-bytes.ts';
import type { ManifestEntry } from '../protocol/manifest.ts';
import { ContentHash } from './content-hash.ts';
import { type LeftOut, type LeftOutReason, LeftOutRecorder } from './left-out.ts';
import { MAX_CHANGED_LISTED } from './limits.ts';
import type { Entry, Selection } from './selection.ts';
import { SinkWriter } from './sink-writer.ts';
import { memberHeader, padding, trailer } from './tar-format.ts';

export interface PackOptions {
  /** Owner that every member names. */
  readonly uid: number;
  readonly gid: number;
  readonly signal?: AbortSignal;
  /** Called many times a second with what went out so far. */
  readonly onProgress?: (progress: { files: number; bytes: number }) => void;
  /** Called for each member once it is in the archive, with the hash of the bytes as they went out. Costs the hashing. */
  readonly onEntry?: (entry: ManifestEntry) => void;
}

/** A file that moved while it was copied. What is in the archive is whole by its header, but may be no state the file ever had. */
export interface ChangedFile {
  readonly path: string;
  /**
   * `shrank`: filled with zeros to its size at opening; `grew`: cut there; `rewritten`: same size, later time;
   * `failed`: the disk gave an error, filled with zeros from there.
   */
  readonly what: 'shrank' | 'grew' | 'rewritten' | 'failed';
}

export interface PackResult {
  /** Regular files in the archive, and the bytes in them. */
  readonly files: number;
  readonly bytes: number;
  /** Bytes written to the sink. */
  readonly archiveBytes: number;
  /** How many files moved, and the first of them. */
  readonly changedCount: number;
  readonly changed: readonly ChangedFile[];
  /** Selected, but not in the archive. */
  readonly skipped: LeftOut;
}

/**
 * Writes the selection as a tar archive, folders before their content, padded to whole records; does not end the
 * sink. A file that vanished, cannot be read or became something else is skipped and reported, never fatal.
 * Throws SandboxError('wire') when the sink closes, and the signal's reason when aborted.
 */
export async function packSelection(selection: Selection, sink: Writable, o: PackOptions): Promise<PackResult> {
  const skipped = new LeftOutRecorder();
  const changed: ChangedFile[] = [];
  let changedCount = 0;
  let files = 0;
  let bytes = 0;
  const writer = new SinkWriter(sink, o.signal, () => o.onProgress?.({ files, bytes }));
  const root = Buffer.from(selection.root);
  o.signal?.throwIfAborted();
  try {
    for (const entry of selection.entries) {
      if (entry.type !== 'file') {
        await writer.write(memberHeader(entry, 0, entry.mtime, o));
        o.onEntry?.(manifestEntry(entry));
        continue;
      }
      const opened = openRegular(joinPath(root, entry.path));
      if (typeof opened === 'string') {
        skipped.add(entry.path, opened);
        continue;
      }
      try {
        const { size, mtimeMs, mode } = opened.stat;
        const current = { ...entry, mode: mode & 0o777 };
        await writer.write(memberHeader(current, size, Math.floor(mtimeMs / 1000), o));
        const content = o.onEntry && new ContentHash(size);
        const what = await copyContent(opened, writer, content);
        if (content !== undefined) o.onEntry?.({ ...manifestEntry(current), size, sha256: content.digest() });
        files += 1;
        bytes += size;
        if (what === undefined) continue;
        changedCount += 1;
        if (changed.length < MAX_CHANGED_LISTED) changed.push({ path: showPath(entry.path), what });
      } finally {
        closeSync(opened.fd);
      }
    }
    await writer.write(trailer(writer.length));
    await writer.finish();
  } finally {
    writer.release();
  }
  o.onProgress?.({ files, bytes });
  return { files, bytes, archiveBytes: writer.length, changedCount, changed, skipped: skipped.result() };
}

function manifestEntry({ path, type, mode, target }: Entry): ManifestEntry {
  return { path, type, mode, size: 0, ...(target === undefined ? {} : { target }) };
}

interface OpenedFile {
  readonly fd: number;
  readonly stat: Stats;
}

/**
 * Opens without following a link and without blocking. The calls are synchronous, in short slices: for a small file
 * they take some 20 microseconds together, four trips through the thread pool take ten times that.
 */
function openRegular(path: Buffer): OpenedFile | LeftOutReason {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'vanished';
    return code === 'ELOOP' || code === 'ENXIO' ? 'replaced' : 'unreadable';
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) return { fd, stat };
  closeSync(fd);
  return 'replaced';
}

/** Writes exactly as many bytes as the header said, whatever the file does meanwhile. */
async function copyContent(
  { fd, stat }: OpenedFile,
  writer: SinkWriter,
  content: ContentHash | undefined,
): Promise<ChangedFile['what'] | undefined> {
  let left = stat.size;
  let failed = false;
  while (left > 0) {
    const room = writer.room;
    const read = readSome(fd, room, left);
    if (read === undefined) failed = true;
    if (read === undefined || read === 0) break;
    left -= read;
    // Here, not from the file again: what is hashed is what goes out.
    content?.add(room.subarray(0, read));
    await writer.taken(read);
  }
  for (let missing = left; missing > 0; ) {
    const zeros = content?.addZeros(missing) ?? missing;
    await writer.zeros(zeros);
    missing -= zeros;
  }
  await writer.zeros(padding(stat.size));
  if (left > 0) return failed ? 'failed' : 'shrank';
  const after = fstatSync(fd);
  if (after.size !== stat.size) return after.size > stat.size ? 'grew' : 'shrank';
  return after.mtimeMs === stat.mtimeMs ? undefined : 'rewritten';
}

/** The next bytes of the file: how many, 0 at its end, undefined where the disk fails. */
function readSome(fd: number, room: Buffer, most: number): number | undefined {
  try {
    return readSync(fd, room, 0, Math.min(most, room.length), null);
  } catch {
    return undefined;
  }
}
