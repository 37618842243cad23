/** What counts of the extended header of one member; times, owners, ACLs and attributes are nobody's business. */
export interface PaxRecords {
  readonly path?: Buffer;
  readonly linkpath?: Buffer;
  readonly size?: number;
  /** Some `GNU.sparse.` key is there: the content is a map and pieces. */
  readonly sparse: boolean;
  /** The name of a sparse file; its member has a made-up one. */
  readonly sparseName?: Buffer;
}

/** Records of the form `LENGTH KEY=VALUE\n`; undefined when they are not of that form. */
export function readPaxRecords(bytes: Buffer): PaxRecords | undefined {
  const found: { -readonly [Key in keyof PaxRecords]: PaxRecords[Key] } = { sparse: false };
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at);
    const length = blank < 0 ? undefined : readDecimal(bytes.subarray(at, blank));
    if (length === undefined || at + length > bytes.length || bytes[at + length - 1] !== 0x0a) return undefined;
    const record = bytes.subarray(blank + 1, at + length - 1);
    const equals = record.indexOf(0x3d);
    if (at + length <= blank + 1 || equals < 1) return undefined;
    const key = record.toString('latin1', 0, equals);
    const value = Buffer.from(record.subarray(equals + 1));
    if (key === 'path') found.path = value;
    if (key === 'linkpath') found.linkpath = value;
    if (key === 'GNU.sparse.name') found.sparseName = value;
    if (key.startsWith('GNU.sparse.')) found.sparse = true;
    if (key === 'size') {
      const size = readDecimal(value);
      if (size === undefined) return undefined;
      found.size = size;
    }
    at += length;
  }
  return found;
}

function readDecimal(bytes: Buffer): number | undefined {
  const digits = bytes.toString('latin1');
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}
