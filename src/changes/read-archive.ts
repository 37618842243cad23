import { messageOf } from '../errors.ts';
import { TimeSlice } from '../lib/slice.ts';
import { MAX_ARCHIVE_BYTES, MAX_END_ZEROS, MAX_MEMBERS, SLICE_MS } from './limits.ts';
import { TarExtensions } from './tar-extensions.ts';
import { BLOCK, isZeroBlock, readTarHeader, sparseMapGoesOn, type TarHeader } from './tar-header.ts';

export type MemberType = 'file' | 'dir' | 'symlink' | 'hardlink' | 'device' | 'fifo' | 'sparse' | 'unknown';

/** One member as the archive describes it. Nothing of it is checked but its framing. */
export interface Member {
  /** Name in the archive, byte for byte. */
  readonly name: Buffer;
  readonly type: MemberType;
  /** All twelve bits. */
  readonly mode: number;
  /** Bytes of content that follow. */
  readonly size: number;
  /** Where a link points. */
  readonly target: Buffer;
}

/** What takes the members. Called in this order for each: member, content (as often as needed), end. */
export interface MemberSink {
  member(member: Member): void;
  /** The next bytes of the content. They are used again: bytes in one piece after `end`, others after the call. */
  content(bytes: Buffer): void;
  end(): void;
}

export interface ArchiveEnd {
  /** Members whose header was read. */
  readonly members: number;
  /** Why the archive is not whole, half a sentence; absent when it is whole. */
  readonly cut?: string;
}

/** `1` to `6` have no content; what has no place here is of unknown type. */
const TYPES: Readonly<Record<string, MemberType>> = {
  '0': 'file',
  '\0': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '3': 'device',
  '4': 'device',
  '5': 'dir',
  '6': 'fifo',
  S: 'sparse',
};
const WITHOUT_CONTENT = new Set<MemberType>(['hardlink', 'symlink', 'device', 'dir', 'fifo']);

/**
 * Reads a tar archive in one pass with flat memory, strictly: whatever GNU tar would not write ends the reading, and
 * the result says so. Everything in it may come from an attacker.
 *
 * The next bytes are asked for when the sink is done with the last ones. Leaves the input early where it is cut.
 */
export async function readArchive(
  input: AsyncIterable<Buffer>,
  sink: MemberSink,
  signal?: AbortSignal,
): Promise<ArchiveEnd> {
  const reader = new Reader(sink);
  const slice = new TimeSlice(SLICE_MS, signal);
  try {
    for await (const chunk of input) {
      signal?.throwIfAborted();
      reader.push(chunk);
      if (reader.cut !== undefined) break;
      if (slice.over) await slice.pause();
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SinkError) throw error.cause;
    reader.fail(`reading it failed (${messageOf(error)})`);
  }
  reader.finish();
  return { members: reader.members, ...(reader.cut === undefined ? {} : { cut: reader.cut }) };
}

const TRAILING = 'something follows its end';

/** A failure on our side, to be told from one of the input. */
class SinkError extends Error {}

/** What the bytes that come next are. */
type State = 'header' | 'sparse-map' | 'extension' | 'content' | 'padding' | 'first-zeros' | 'end';

class Reader {
  members = 0;
  cut: string | undefined;
  readonly #sink: MemberSink;
  readonly #extensions = new TarExtensions();
  #state: State = 'header';
  /** Bytes that belong to the state and have not come yet. */
  #left = BLOCK;
  /** Bytes to the next block, after the content. */
  #padding = 0;
  /** A block that came in pieces. */
  readonly #block = Buffer.alloc(BLOCK);
  #blockFilled = 0;
  #total = 0;
  #zeros = 0;
  #header: TarHeader | undefined;

  constructor(sink: MemberSink) {
    this.#sink = sink;
  }

  /** Nothing is read any more; the first reason stays. */
  fail(why: string | undefined): void {
    this.cut ??= why;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.cut === undefined; ) {
      const bytes = chunk.subarray(at, at + this.#left);
      at += bytes.length;
      this.#total += bytes.length;
      this.#take(bytes);
    }
  }

  /** No more bytes come. */
  finish(): void {
    if (this.#state === 'end') return;
    this.fail(this.#state === 'header' && this.#blockFilled === 0 ? 'its end is missing' : 'it ends inside a member');
  }

  /** Takes bytes that all belong to the state. */
  #take(bytes: Buffer): void {
    if (this.#state === 'header' || this.#state === 'sparse-map' || this.#state === 'first-zeros') {
      const block = this.#wholeBlock(bytes);
      if (block !== undefined) this.#takeBlock(block);
    } else if (this.#state === 'end') {
      this.#zeros += bytes.length;
      if (this.#zeros > MAX_END_ZEROS || bytes.some((byte) => byte !== 0)) this.fail(TRAILING);
    } else {
      if (this.#state === 'content') this.#toSink(() => this.#sink.content(bytes));
      if (this.#state === 'extension') this.#extensions.take(bytes);
      this.#left -= bytes.length;
      if (this.#left === 0) this.#endPart();
    }
  }

  #wholeBlock(bytes: Buffer): Buffer | undefined {
    this.#left -= bytes.length;
    if (bytes.length < BLOCK) {
      bytes.copy(this.#block, this.#blockFilled);
      this.#blockFilled += bytes.length;
      if (this.#left > 0) return undefined;
    }
    this.#blockFilled = 0;
    this.#left = BLOCK;
    return bytes.length < BLOCK ? this.#block : bytes;
  }

  #takeBlock(block: Buffer): void {
    if (this.#state === 'header') {
      this.#takeHeader(block);
    } else if (this.#state === 'sparse-map') {
      if (!sparseMapGoesOn(block)) this.#startMember();
    } else {
      if (!isZeroBlock(block)) this.fail(TRAILING);
      this.#state = 'end';
      this.#left = Number.MAX_SAFE_INTEGER;
    }
  }

  #takeHeader(block: Buffer): void {
    if (isZeroBlock(block)) {
      if (this.#extensions.pending) this.fail('a long name belongs to no member');
      this.#state = 'first-zeros';
      return;
    }
    const header = readTarHeader(block);
    if (typeof header === 'string') {
      this.fail(header);
    } else if (TarExtensions.isOne(header)) {
      this.fail(this.#extensions.begin(header));
      this.#startPart('extension', header.size);
    } else {
      this.members += 1;
      if (this.members > MAX_MEMBERS) this.fail(`it holds more than ${MAX_MEMBERS} files and folders`);
      this.#header = header;
      if (header.type === 'S' && header.sparseMapGoesOn) this.#state = 'sparse-map';
      else this.#startMember();
    }
  }

  #startMember(): void {
    const header = this.#header!;
    const { name, target, size, sparse } = this.#extensions.applyTo(header);
    const type = sparse ? 'sparse' : (TYPES[header.type] ?? 'unknown');
    if (size > 0 && WITHOUT_CONTENT.has(type)) this.fail('a member has content that its type cannot have');
    if (this.cut !== undefined) return;
    this.#toSink(() => this.#sink.member({ name, type, mode: header.mode, size, target }));
    this.#startPart('content', size);
  }

  #startPart(state: 'content' | 'extension', size: number): void {
    if (this.#total + size > MAX_ARCHIVE_BYTES) this.fail(`it is larger than ${MAX_ARCHIVE_BYTES} bytes`);
    this.#state = state;
    this.#left = size;
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (size === 0) this.#endPart();
  }

  /** Content, extension or padding is all there. */
  #endPart(): void {
    if (this.#state === 'content') this.#toSink(() => this.#sink.end());
    if (this.#state === 'extension') this.fail(this.#extensions.end());
    const padded = this.#state !== 'padding' && this.#padding > 0;
    this.#state = padded ? 'padding' : 'header';
    this.#left = padded ? this.#padding : BLOCK;
  }

  #toSink(call: () => void): void {
    try {
      call();
    } catch (cause) {
      throw new SinkError('sink', { cause });
    }
  }
}
