/**
 * Headers of a tar archive as GNU tar writes them: ustar fields, names over 100 bytes in a preceding 'L' or 'K'
 * member, sizes of 8 GiB and more in base 256. Names are bytes and are never decoded.
 */
import type { Entry } from './selection.ts';

export const BLOCK = 512;
/** Archives end on a multiple of this, the record size that tar reads by default. */
export const RECORD = 10_240;

const NAME_BYTES = 100;
/** Largest value of an 11-digit octal field. */
const MAX_OCTAL_11 = 0o77777777777;
const TYPE = { file: '0', symlink: '2', dir: '5', longName: 'L', longTarget: 'K' } as const;
const EMPTY = Buffer.alloc(0);

interface Header {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly type: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtime: number;
}

/** Everything that precedes the content of a member: one block, or more where names are long. */
export function memberHeader(entry: Entry, size: number, mtime: number, owner: { uid: number; gid: number }): Buffer {
  const name = entry.type === 'dir' ? Buffer.concat([entry.path, Buffer.from('/')]) : entry.path;
  const target = entry.target ?? EMPTY;
  const blocks: Buffer[] = [];
  if (target.length > NAME_BYTES) blocks.push(longMember(TYPE.longTarget, target));
  if (name.length > NAME_BYTES) blocks.push(longMember(TYPE.longName, name));
  blocks.push(block({ name, target, type: TYPE[entry.type], mode: entry.mode, ...owner, size, mtime }));
  return blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks);
}

/** Zero bytes that follow content of this size, to the next block. */
export function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** What ends an archive of this length so far: two zero blocks, then zeros to a whole record. */
export function trailer(length: number): Buffer {
  const end = length + 2 * BLOCK;
  return Buffer.alloc(2 * BLOCK + ((RECORD - (end % RECORD)) % RECORD));
}

function longMember(type: string, text: Buffer): Buffer {
  const size = text.length + 1;
  const name = Buffer.from('././@LongLink');
  const header = block({ name, target: EMPTY, type, mode: 0o644, uid: 0, gid: 0, size, mtime: 0 });
  const content = Buffer.alloc(size + padding(size));
  text.copy(content);
  return Buffer.concat([header, content]);
}

function block(header: Header): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  header.name.copy(bytes, 0, 0, NAME_BYTES);
  octal(bytes, 100, 7, header.mode);
  octal(bytes, 108, 7, header.uid);
  octal(bytes, 116, 7, header.gid);
  number(bytes, 124, header.size);
  number(bytes, 136, Math.max(0, header.mtime));
  bytes.write(header.type, 156, 'latin1');
  header.target.copy(bytes, 157, 0, NAME_BYTES);
  bytes.write('ustar  \0', 257, 'latin1');
  // The sum counts its own field as spaces.
  bytes.fill(' ', 148, 156);
  let sum = 0;
  for (let index = 0; index < BLOCK; index += 1) sum += bytes[index]!;
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

function octal(bytes: Buffer, offset: number, digits: number, value: number): void {
  bytes.write(value.toString(8).padStart(digits, '0'), offset, digits, 'latin1');
}

function number(bytes: Buffer, offset: number, value: number): void {
  if (value <= MAX_OCTAL_11) {
    octal(bytes, offset, 11, value);
  } else {
    bytes[offset] = 0x80;
    bytes.writeBigUInt64BE(BigInt(value), offset + 4);
  }
}
