import { SandboxError } from '../errors.ts';

/** Type (0 stdin echoed, 1 stdout, 2 stderr, 3 error of the engine), three zero bytes, length as uint32 big endian. */
export const HEADER_BYTES = 8;
export const STDERR = 2;
const ENGINE_ERROR = 3;

/** A frame header that may arrive in pieces. */
export class FrameHeader {
  readonly #bytes = Buffer.alloc(HEADER_BYTES);
  #filled = 0;

  /** Takes what belongs to the header from the start of `chunk`; returns how many bytes that was. */
  take(chunk: Buffer): number {
    const taken = chunk.copy(this.#bytes, this.#filled, 0, HEADER_BYTES - this.#filled);
    this.#filled += taken;
    return taken;
  }

  get started(): boolean {
    return this.#filled > 0;
  }

  get complete(): boolean {
    return this.#filled === HEADER_BYTES;
  }

  get type(): number {
    return this.#bytes.readUInt8(0);
  }

  /** Payload bytes. */
  get length(): number {
    return this.#bytes.readUInt32BE(4);
  }

  reset(): void {
    this.#filled = 0;
  }

  /** What is wrong with a complete header that began at `offset`. */
  problem(offset: number): SandboxError | undefined {
    if (this.type <= STDERR && this.#bytes.readUIntBE(1, 3) === 0) return undefined;
    const shown = `${this.#bytes.toString('hex')} at byte ${offset}`;
    if (this.type === ENGINE_ERROR && this.#bytes.readUIntBE(1, 3) === 0) {
      return new SandboxError(
        'wire',
        `The engine reported a failure of its own in the output stream: header ${shown}.`,
      );
    }
    const raw = offset === 0 ? ' The stream may be raw, as it is for a container with a terminal (TTY).' : '';
    return new SandboxError('wire', `The output stream from the engine has a bad frame header: ${shown}.${raw}`);
  }
}
