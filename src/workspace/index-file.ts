/** Sizes in git's index format, bytes: its header, and of an entry what comes before and after its object id. */
const HEADER = 12;
const STAT = 40;
const FLAGS = 2;
const EXTENDED_FLAG = 0x4000;
/** Entries of the versions before 4 are padded to this. */
const ALIGNMENT = 8;
const EXTENSION_HEADER = 8;

/** Whether the bytes begin like an index of git. */
export function isIndex(index: Buffer): boolean {
  return index.subarray(0, 4).toString('latin1') === 'DIRC';
}

/**
 * The id, in hex, that a split index gives for its shared part, in its `link` extension; undefined where it has none, or
 * is damaged. `idBytes` is the length of the repository's object ids.
 */
export function sharedIndexId(index: Buffer, idBytes: number): string | undefined {
  if (!isIndex(index) || index.length < HEADER) return undefined;
  let at = endOfEntries(index, idBytes);
  while (at !== undefined && at + EXTENSION_HEADER + idBytes <= index.length) {
    const name = index.toString('latin1', at, at + 4);
    if (name === 'link') return index.toString('hex', at + EXTENSION_HEADER, at + EXTENSION_HEADER + idBytes);
    at += EXTENSION_HEADER + index.readUInt32BE(at + 4);
  }
  return undefined;
}

function endOfEntries(index: Buffer, idBytes: number): number | undefined {
  const version = index.readUInt32BE(4);
  const entries = index.readUInt32BE(8);
  let at = HEADER;
  for (let entry = 0; entry < entries; entry += 1) {
    const flags = at + STAT + idBytes;
    if (flags + FLAGS > index.length) return undefined;
    const extended = (index.readUInt16BE(flags) & EXTENDED_FLAG) !== 0;
    let name = flags + FLAGS + (extended ? FLAGS : 0);
    // Version 4 puts a number before the name, seven bits a byte, whose last byte has no high bit.
    if (version >= 4) while (((index[name++] ?? 0) & 0x80) !== 0);
    const end = index.indexOf(0, name);
    if (end < 0) return undefined;
    at = version >= 4 ? end + 1 : at + Math.ceil((end + 1 - at) / ALIGNMENT) * ALIGNMENT;
  }
  return at;
}
