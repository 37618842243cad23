import { sanitize } from '../lib/sanitize.ts';
import { stdoutReady } from './print.ts';

/** Writes bytes to standard output: as they are into a pipe or file, made harmless on a terminal. */
export async function printBytes(source: AsyncIterable<Buffer>): Promise<void> {
  const show = process.stdout.isTTY ? terminalText() : (bytes: Buffer | undefined) => bytes;
  for await (const chunk of source) {
    if (process.stdout.destroyed) return;
    const shown = show(chunk);
    if (shown !== undefined) process.stdout.write(shown);
    await stdoutReady();
  }
  const rest = show(undefined);
  if (rest !== undefined && !process.stdout.destroyed) process.stdout.write(rest);
}

/** Decodes pieces of text; a carriage return at the end of one waits for what follows it. */
function terminalText(): (bytes: Buffer | undefined) => string {
  const decoder = new TextDecoder('utf-8');
  let held = '';
  return (bytes) => {
    const text = held + (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
    held = bytes !== undefined && text.endsWith('\r') ? '\r' : '';
    return sanitize(held === '' ? text : text.slice(0, -1), { keepNewlines: true });
  };
}
