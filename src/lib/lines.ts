import { LineBuffer } from './line-buffer.ts';

export interface LineLimits {
  /** Longest line that is kept, bytes without the newline. */
  readonly lineBytes: number;
  /** Most bytes that are read in all; one more is a `StreamLimitError`. */
  readonly totalBytes: number;
}

/**
 * One record of a byte stream. `overlong` lines were dropped while they were read: `bytes` is their length and `head`
 * their start. `torn` is what stood after the last newline when the stream ended.
 */
export type Line =
  | { readonly kind: 'line'; readonly content: Buffer }
  | { readonly kind: 'overlong'; readonly bytes: number; readonly head: Buffer }
  | { readonly kind: 'torn'; readonly bytes: number; readonly head: Buffer };

/** The stream went over its total size. Everything before it was delivered. */
export class StreamLimitError extends Error {
  override readonly name = 'StreamLimitError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the stream went over its limit of ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

const NEWLINE = 0x0a;

/**
 * Splits bytes at 0x0A and nowhere else: U+2028, a lone carriage return and the like stay inside their line.
 * Never holds more than one line of `lineBytes`. When the source fails, the torn rest is delivered first and then the
 * source's own error is thrown.
 *
 * @throws StreamLimitError
 */
export async function* lines(source: AsyncIterable<Buffer>, limits: LineLimits): AsyncGenerator<Line, void> {
  const open = new LineBuffer(limits.lineBytes);
  let total = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of source) {
      const allowed = chunk.subarray(0, limits.totalBytes - total);
      total += allowed.length;
      let from = 0;
      for (let end = allowed.indexOf(NEWLINE); end !== -1; end = allowed.indexOf(NEWLINE, from)) {
        open.push(allowed.subarray(from, end));
        from = end + 1;
        yield open.overlong ? { kind: 'overlong', ...open.head() } : { kind: 'line', content: open.content() };
        open.reset();
      }
      if (from < allowed.length) open.push(allowed.subarray(from));
      if (allowed.length < chunk.length) throw new StreamLimitError(limits.totalBytes);
      open.own();
    }
  } catch (error) {
    failure = { error };
  }
  if (open.bytes > 0) yield { kind: open.overlong ? 'overlong' : 'torn', ...open.head() };
  if (failure !== undefined) throw failure.error;
}
