/** Archives byte by byte, right or wrong in any way that a test wants. */
const BLOCK = 512;

export interface RawMember {
  readonly name: string | Buffer;
  /** Type flag; `0` where it is not given. */
  readonly type?: string;
  readonly content?: string | Buffer;
  readonly target?: string | Buffer;
  readonly mode?: number;
  /** Size that the header claims, where it is not the content's. */
  readonly size?: number;
  readonly prefix?: string;
  readonly magic?: string;
  /** Last changes to the header, before the checksum is made. */
  readonly patch?: (header: Buffer) => void;
}

export const END = Buffer.alloc(2 * BLOCK);

/** Bytes of a member, names over 100 bytes in a GNU long name before it. */
export function rawMember(member: RawMember): Buffer {
  const { type = '0', mode = type === '5' ? 0o755 : 0o644, magic = 'ustar  \0', prefix, patch } = member;
  const name = Buffer.from(member.name);
  const target = Buffer.from(member.target ?? '');
  const content = Buffer.from(member.content ?? '');
  const header = Buffer.alloc(BLOCK);
  name.copy(header, 0, 0, 100);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100, 'latin1');
  header.write('0001750\0', 108, 'latin1');
  header.write('0001750\0', 116, 'latin1');
  header.write(`${(member.size ?? content.length).toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write('00000000000\0', 136, 'latin1');
  header.write(type, 156, 'latin1');
  target.copy(header, 157, 0, 100);
  header.write(magic, 257, 'latin1');
  if (prefix !== undefined) header.write(prefix, 345, 'latin1');
  patch?.(header);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([
    target.length > 100 ? longName('K', target) : Buffer.alloc(0),
    name.length > 100 ? longName('L', name) : Buffer.alloc(0),
    header,
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
}

/** A whole archive; the root first, as tar writes it. */
export function rawArchive(members: readonly (RawMember | Buffer)[]): Buffer {
  const root = rawMember({ name: './', type: '5' });
  return Buffer.concat([root, ...members.map((one) => (Buffer.isBuffer(one) ? one : rawMember(one))), END]);
}

/** An extended header of POSIX. */
export function paxHeader(records: Readonly<Record<string, string | Buffer>>, type = 'x'): Buffer {
  const content = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')]);
    let length = rest.length + 1;
    while (String(length).length + rest.length !== length) length += 1;
    return Buffer.concat([Buffer.from(String(length)), rest]);
  });
  return rawMember({ name: 'pax', type, magic: 'ustar\x0000', content: Buffer.concat(content) });
}

function longName(type: string, text: Buffer): Buffer {
  return rawMember({ name: '././@LongLink', type, content: Buffer.concat([text, Buffer.alloc(1)]) });
}

/** Bytes in pieces of this many, as a stream gives them. */
export async function* inPieces(bytes: Buffer, size = 1000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
