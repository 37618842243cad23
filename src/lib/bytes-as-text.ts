import { isUtf8 } from 'node:buffer';

/** Bytes of a character that has not come whole, at most. */
const MAX_BEGUN = 3;
/** Half of a pair that never stands alone in text that came from UTF-8: a byte that is none is shown by it. */
const ESCAPE = 0xdc00;

/**
 * Bytes as text from which the same bytes come back, whatever they are: UTF-8 as what it says, every other byte as one
 * character that no UTF-8 gives.
 */
export function textOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = lengthFrom(bytes[at] as number);
    const character = bytes.subarray(at, at + length);
    if (length === 1 || (character.length === length && isUtf8(character))) {
      text += character.toString();
      at += length;
    } else text += String.fromCharCode(ESCAPE + (bytes[at++] as number));
  }
  return text;
}

/** The way back. */
export function bytesOfText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const parts: Buffer[] = [];
  let from = 0;
  // With the flag a half matches only where it stands alone.
  for (const { index } of text.matchAll(/[\udc80-\udcff]/gu)) {
    parts.push(Buffer.from(text.slice(from, index)), Buffer.from([text.charCodeAt(index) - ESCAPE]));
    from = index + 1;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}

/** Bytes at the end that begin a character and do not end it. */
export function begunAtEnd(bytes: Buffer): number {
  for (let count = 1; count <= MAX_BEGUN && count <= bytes.length; count++) {
    const byte = bytes[bytes.length - count] as number;
    if (byte >= 0xc0) return count < lengthFrom(byte) ? count : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Length of the character that begins with this byte. What cannot begin one is not told apart. */
function lengthFrom(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
