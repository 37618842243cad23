import { Readable } from 'node:stream';

/** Bytes held for a slow consumer before the source is paused. */
const HIGH_WATER_BYTES = 64 * 1024;

/** One side of a demultiplexed stream. */
export class DemuxedReader extends Readable {
  readonly #wantsMore: () => void;
  #full = false;
  #failure: Error | undefined;

  constructor(wantsMore: () => void) {
    super({ highWaterMark: HIGH_WATER_BYTES });
    this.#wantsMore = wantsMore;
    // The failure also stands in `Demuxed.done`; a side that nobody reads must not bring the process down.
    this.on('error', () => {});
  }

  /** Whether the source should wait. */
  get full(): boolean {
    return this.#full && !this.destroyed;
  }

  deliver(slice: Buffer): void {
    if (!this.destroyed) this.#full = !this.push(slice);
  }

  /** Ends this side, or lets it fail once everything that was delivered has been read. */
  finish(error?: Error): void {
    if (this.destroyed) return;
    if (error === undefined) this.push(null);
    else if (this.readableLength === 0) this.destroy(error);
    else this.#failure = error;
  }

  override _read(): void {
    this.#full = false;
    this.#wantsMore();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    callback(error);
    this.#wantsMore();
  }

  override read(size?: number): Buffer | null {
    const chunk = super.read(size) as Buffer | null;
    if (this.#failure !== undefined && this.readableLength === 0) process.nextTick(() => this.destroy(this.#failure));
    return chunk;
  }
}
