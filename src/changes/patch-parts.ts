import { lines } from '../lib/lines.ts';
import { MAX_PATCH_BYTES, MAX_PATCH_LINE_BYTES } from './limits.ts';

/** A patch for reading, in pieces. A change of type is two files: one that goes, one that comes. */
export type PatchPart =
  | { readonly kind: 'file'; readonly path: Buffer }
  | { readonly kind: 'binary' }
  /** `start` and `count`: its lines of the new content. `header`: the whole line. */
  | { readonly kind: 'hunk'; readonly header: Buffer; readonly start: number; readonly count: number }
  /** `bytes`: length of the line, of which `content` may be the start. */
  | { readonly kind: 'line'; readonly sign: Sign; readonly content: Buffer; readonly bytes: number }
  /** The line before has no newline. */
  | { readonly kind: 'no-newline' };
export type Sign = ' ' | '+' | '-';

const FILE = Buffer.from('diff --git ');
const HUNK = Buffer.from('@@ -');
const BINARY = Buffer.from('Binary files ');
const SIGNS: Readonly<Record<number, Sign>> = { 32: ' ', 43: '+', 45: '-' };
const BACKSLASH = 0x5c;

/** Splits what `Patch.readable` gives. Lines of a hunk are counted, so no content is taken for a header. */
export async function* patchParts(source: AsyncIterable<Buffer>): AsyncGenerator<PatchPart, void> {
  const left = { old: 0, new: 0 };
  for await (const line of lines(source, { lineBytes: MAX_PATCH_LINE_BYTES, totalBytes: MAX_PATCH_BYTES })) {
    const text = line.kind === 'line' ? line.content : line.head;
    const bytes = line.kind === 'line' ? text.length : line.bytes;
    if (text[0] === BACKSLASH) {
      yield { kind: 'no-newline' };
    } else if (left.old > 0 || left.new > 0) {
      const sign = SIGNS[text[0] ?? 0] ?? ' ';
      if (sign !== '+') left.old--;
      if (sign !== '-') left.new--;
      yield { kind: 'line', sign, content: text.subarray(1), bytes: bytes - 1 };
    } else if (startsWith(text, FILE)) {
      yield { kind: 'file', path: pathOf(text.subarray(FILE.length)) };
    } else if (startsWith(text, BINARY)) {
      yield { kind: 'binary' };
    } else if (startsWith(text, HUNK)) {
      const [, old = '1', start = '0', now = '1'] =
        /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text.toString('latin1')) ?? [];
      left.old = Number(old);
      left.new = Number(now);
      yield { kind: 'hunk', header: text, start: Number(start), count: left.new };
    }
  }
}

function startsWith(text: Buffer, prefix: Buffer): boolean {
  return text.subarray(0, prefix.length).equals(prefix);
}

/** The name in `a/NAME b/NAME`, which may hold ` b/` itself, or be quoted: both halves are the same. */
function pathOf(names: Buffer): Buffer {
  const half = names.subarray(0, (names.length - 1) / 2);
  return half[0] === 0x22 ? unquoted(half.subarray(1, -1)).subarray(2) : half.subarray(2);
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

function unquoted(name: Buffer): Buffer {
  const text = name
    .toString('latin1')
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
    );
  return Buffer.from(text, 'latin1');
}
