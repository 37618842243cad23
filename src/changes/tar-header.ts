/** Fields of one header block of a tar archive: ustar as POSIX and as GNU write it. Names are bytes, never decoded. */
export interface TarHeader {
  readonly name: Buffer;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  /** Where a link points. */
  readonly target: Buffer;
  /** Whether more blocks of an old GNU sparse map follow, before the content. */
  readonly sparseMapGoesOn: boolean;
}

export const BLOCK = 512;

const CHECKSUM = { at: 148, end: 156 };
const EMPTY = Buffer.alloc(0);
const ZEROS = Buffer.alloc(BLOCK);

export function isZeroBlock(block: Buffer): boolean {
  return block.equals(ZEROS);
}

/** The header in this block, or what is wrong with it. */
export function readTarHeader(block: Buffer): TarHeader | string {
  const magic = block.toString('latin1', 257, 263);
  if (magic !== 'ustar\0' && magic !== 'ustar ') return 'a block is no header of a tar archive';
  if (readNumber(block, CHECKSUM.at, CHECKSUM.end) !== checksum(block)) return 'the checksum of a header is wrong';
  const size = readNumber(block, 124, 136);
  const mode = readNumber(block, 100, 108);
  if (size === undefined || mode === undefined) return 'a number in a header cannot be read';
  const own = text(block, 0, 100);
  // GNU keeps times in the place of the prefix.
  const prefix = magic === 'ustar\0' ? text(block, 345, 500) : EMPTY;
  return {
    name: prefix.length === 0 ? own : Buffer.concat([prefix, Buffer.from('/'), own]),
    type: String.fromCharCode(block[156]!),
    mode: mode & 0o7777,
    size,
    target: text(block, 157, 257),
    sparseMapGoesOn: block[482] !== 0,
  };
}

/** Whether another block of a sparse map follows this one. */
export function sparseMapGoesOn(block: Buffer): boolean {
  return block[504] !== 0;
}

/** Bytes up to the first NUL; a copy, since the block is used again. */
function text(block: Buffer, start: number, end: number): Buffer {
  const nul = block.indexOf(0, start);
  const stop = nul < 0 || nul > end ? end : nul;
  return stop === start ? EMPTY : Buffer.from(block.subarray(start, stop));
}

/** An octal number between blanks and NULs, or base 256 where the top bit is set; undefined for anything else. */
function readNumber(block: Buffer, start: number, end: number): number | undefined {
  if (block[start]! & 0x80) return readBase256(block, start, end);
  let value = 0;
  let at = start;
  while (at < end && block[at] === 0x20) at += 1;
  for (; at < end; at += 1) {
    const digit = block[at]! - 0x30;
    if (digit < 0 || digit > 7) break;
    value = value * 8 + digit;
  }
  for (; at < end; at += 1) if (block[at] !== 0x20 && block[at] !== 0) return undefined;
  return value;
}

function readBase256(block: Buffer, start: number, end: number): number | undefined {
  let value = block[start]! & 0x7f;
  for (let at = start + 1; at < end; at += 1) {
    value = value * 256 + block[at]!;
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
  }
  return value;
}

/** The sum counts its own field as blanks. */
function checksum(block: Buffer): number {
  let sum = (CHECKSUM.end - CHECKSUM.at) * 0x20;
  for (let at = 0; at < CHECKSUM.at; at += 1) sum += block[at]!;
  for (let at = CHECKSUM.end; at < BLOCK; at += 1) sum += block[at]!;
  return sum;
}
