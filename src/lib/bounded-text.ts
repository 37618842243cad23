/** The text if it is short enough, else its start and an ellipsis; `max` counts UTF-16 units, the ellipsis included. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, Math.max(0, max - 1));
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** A short readable start of bytes that may be anything. Not safe for a terminal: sanitise before showing it. */
export function previewOf(bytes: Buffer, max: number): string {
  return clip(bytes.subarray(0, 4 * max).toString('utf8'), max);
}

/** The last bytes of a stream, at most `limit` of them, and how many there were. */
export class TailBuffer {
  /** All bytes that were pushed. */
  total = 0;
  readonly #limit: number;
  #kept: Buffer = Buffer.alloc(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.total += chunk.length;
    const room = Math.max(0, this.#limit - chunk.length);
    const before = this.#kept.subarray(Math.max(0, this.#kept.length - room));
    this.#kept = Buffer.concat([before, chunk.subarray(Math.max(0, chunk.length - this.#limit))]);
  }

  /** What was kept, decoded; says in its first line when something was dropped. */
  text(): string {
    const dropped = this.total - this.#kept.length;
    const kept = this.#kept.toString('utf8');
    return dropped === 0 ? kept : `[${dropped} bytes before this were dropped]\n${kept}`;
  }
}
