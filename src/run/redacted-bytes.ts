import { Transform, type TransformCallback } from 'node:stream';
import { begunAtEnd, bytesOfText, textOfBytes } from '../lib/bytes-as-text.ts';
import type { RedactWindow } from '../policy/redact/window.ts';

/** Redacts bytes that are mostly text. What is no text comes out as it came in. */
export class RedactedBytes extends Transform {
  readonly #window: RedactWindow;
  #begun: Buffer = Buffer.alloc(0);
  /** What came in. */
  bytes = 0;

  constructor(window: RedactWindow) {
    super();
    this.#window = window;
  }

  /** Secrets that were taken out. */
  get redacted(): number {
    return this.#window.count;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    const all = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
    const whole = all.length - begunAtEnd(all);
    this.#begun = Buffer.from(all.subarray(whole));
    this.push(bytesOfText(this.#window.push(textOfBytes(all.subarray(0, whole)))));
    done();
  }

  override _flush(done: TransformCallback): void {
    const rest = this.#window.push(textOfBytes(this.#begun)) + this.#window.end();
    this.push(bytesOfText(rest));
    done();
  }
}
