import { isAscii, isUtf8 } from 'node:buffer';

/** Share of control characters above which bytes are no text, where they are UTF-8 and where they are not. */
const MOST_IN_UTF8 = 0.1;
const MOST_ELSEWHERE = 0.02;

/** Whether bytes are no text that somebody could read. Text in an old encoding is text. */
export function isBinary(content: Buffer): boolean {
  if (content.includes(0)) return true;
  const most = isAscii(content) || isUtf8(content) ? MOST_IN_UTF8 : MOST_ELSEWHERE;
  return countControls(content) > content.length * most;
}

/** Without tab, newline, vertical tab, form feed, carriage return, backspace and escape, which text may hold. */
function countControls(content: Buffer): number {
  let count = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at]!;
    if (byte === 0x7f || (byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b)) count++;
  }
  return count;
}
