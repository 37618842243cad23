import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { FILE_MODE } from './private-folder.ts';

const NEWLINE = 0x0a;
/** First look at the end of an existing file, bytes; grows until a whole line is seen. */
const TAIL_BYTES = 64 * 1024;

/**
 * A file that lines are only ever added to. A line that could be written in part only (full disk, killed writer) is
 * closed off by a newline before the next one, so it never damages a neighbour.
 */
export class AppendFile {
  readonly #fd: number;
  /** The file ends inside a line. */
  #torn: boolean;
  /** Bytes in the file. */
  size: number;

  /** @throws what the file system throws */
  constructor(path: string) {
    const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    this.#fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
    fchmodSync(this.#fd, FILE_MODE);
    const stats = fstatSync(this.#fd);
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    this.size = stats.size;
    this.#torn = this.size > 0 && this.#read(this.size - 1, 1)[0] !== NEWLINE;
  }

  /** Adds one line. @throws what the file system throws; the line then counts as not written */
  append(line: string): void {
    const bytes = Buffer.from(this.#torn ? `\n${line}\n` : `${line}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
    } finally {
      this.size += written;
      if (written > 0) this.#torn = bytes[written - 1] !== NEWLINE;
    }
  }

  /** The last lines of the file from the end, newest first, as far as `accept` wants to look. */
  findLast<T>(accept: (line: string) => T | undefined): T | undefined {
    for (let window = TAIL_BYTES; ; window *= 8) {
      const start = Math.max(0, this.size - window);
      const found = this.#read(start, this.size - start)
        .toString('utf8')
        .split('\n');
      if (start > 0) found.shift();
      for (const line of found.reverse()) {
        const value = accept(line);
        if (value !== undefined) return value;
      }
      if (start === 0) return undefined;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(this.#fd, bytes, filled, length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }
}
