/** The end of a long output that is still shown. Both are below the sizes at which pi opens a temp file (50 KiB, 2000 lines). */
export const TAIL_BYTES = 40_000;
export const TAIL_LINES = 1_500;

/** Keeps the last bytes of a stream in bounded memory. */
export class OutputTail {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (
      let first = this.#chunks[0];
      first !== undefined && this.#bytes - first.length >= TAIL_BYTES;
      first = this.#chunks[0]
    ) {
      this.#chunks.shift();
      this.#bytes -= first.length;
      this.#dropped += first.length;
    }
  }

  /**
   * At most `bytes` bytes and `lines` lines of the end, and how many bytes were dropped before them. Sized after decoding:
   * pi counts decoded text, in which each invalid byte takes three.
   */
  take(bytes: number, lines: number): { readonly text: Buffer; readonly dropped: number } {
    const raw = Buffer.concat(this.#chunks);
    let start = Math.max(0, raw.length - Math.max(0, bytes));
    start = Math.max(start, startOfLastLines(raw, Math.max(0, lines)));
    for (;;) {
      while (start < raw.length && ((raw[start] ?? 0) & 0xc0) === 0x80) start += 1;
      const decoded = Buffer.from(raw.subarray(start).toString('utf8'));
      if (decoded.length <= Math.max(0, bytes)) return { text: decoded, dropped: this.#dropped + start };
      start += Math.max(1, Math.ceil((decoded.length - bytes) / 3));
    }
  }
}

function startOfLastLines(raw: Buffer, lines: number): number {
  let at = raw.length;
  for (let count = 0; count <= lines; count += 1) {
    if (at === 0) return 0;
    at = raw.lastIndexOf(0x0a, at - 1);
    if (at < 0) return 0;
  }
  return at + 1;
}
