import { MAX_EXTENSION_BYTES } from './limits.ts';
import { type PaxRecords, readPaxRecords } from './pax-records.ts';
import type { TarHeader } from './tar-header.ts';

/** GNU's long name and long target; POSIX' extended header of the next member and of all that follow. */
const TYPES = 'LKxg';

/** A header with what the extensions before it say instead. */
export interface FullHeader {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly size: number;
  readonly sparse: boolean;
}

/** What stands before a member and is about it. */
export class TarExtensions {
  #current: { type: string; bytes: Buffer; filled: number } | undefined;
  #name: Buffer | undefined;
  #target: Buffer | undefined;
  #pax: PaxRecords | undefined;

  static isOne({ type }: TarHeader): boolean {
    return TYPES.includes(type);
  }

  /** Whether an extension waits for its member. */
  get pending(): boolean {
    return (this.#name ?? this.#target ?? this.#pax) !== undefined;
  }

  /** Content of this extension follows; says what is wrong with it. */
  begin({ type, size }: TarHeader): string | undefined {
    if (type === 'x' && size > MAX_EXTENSION_BYTES) return 'an extended header is longer than any that is needed';
    // What is meant for all members holds nothing that counts.
    const kept = type === 'g' ? 0 : Math.min(size, MAX_EXTENSION_BYTES);
    this.#current = { type, bytes: Buffer.alloc(kept), filled: 0 };
    return undefined;
  }

  /** A longer name than fits is no name that can be handed back, but its start still says whose it was. */
  take(bytes: Buffer): void {
    const current = this.#current!;
    current.filled += bytes.copy(current.bytes, current.filled);
  }

  /** Says what is wrong with the content. */
  end(): string | undefined {
    const { type, bytes } = this.#current!;
    this.#current = undefined;
    const text = bytes.at(-1) === 0 ? bytes.subarray(0, -1) : bytes;
    if (type === 'L') this.#name = text;
    if (type === 'K') this.#target = text;
    if (type !== 'x') return undefined;
    this.#pax = readPaxRecords(bytes);
    return this.#pax === undefined ? 'an extended header cannot be read' : undefined;
  }

  applyTo(header: TarHeader): FullHeader {
    const pax = this.#pax;
    const full = {
      name: pax?.sparseName ?? pax?.path ?? this.#name ?? header.name,
      target: pax?.linkpath ?? this.#target ?? header.target,
      size: pax?.size ?? header.size,
      sparse: header.type === 'S' || pax?.sparse === true,
    };
    [this.#name, this.#target, this.#pax] = [undefined, undefined, undefined];
    return full;
  }
}
