import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { SandboxError } from '../errors.ts';
import { TimeSlice } from '../lib/slice.ts';
import { SLICE_MS } from './limits.ts';

/** Bytes gathered before they go to the sink: few writes for small files, little memory for large ones. */
const CHUNK_BYTES = 128 << 10;

/**
 * Gathers bytes into chunks and writes them with back-pressure: at most one chunk waits here while the sink is full.
 *
 * A socket or pipe is done with a chunk when it calls back, so the chunk is used again: a copy of any size takes a few
 * of them. Another sink may keep what it was given (a PassThrough does), so it gets a new chunk each time, and the
 * garbage collector lets some 80 MB of old ones come together.
 */
export class SinkWriter {
  readonly #sink: Writable;
  readonly #signal: AbortSignal | undefined;
  readonly #slice: TimeSlice;
  readonly #free: Buffer<ArrayBuffer>[] = [];
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;
  // An error between two writes must not end the process; the next write sees it.
  readonly #onError = () => {};
  /** Bytes taken so far. */
  length = 0;

  constructor(sink: Writable, signal: AbortSignal | undefined, onPause: () => void) {
    this.#sink = sink;
    this.#signal = signal;
    this.#slice = new TimeSlice(SLICE_MS, signal, onPause);
    sink.on('error', this.#onError);
  }

  /** Lets go of the sink, which stays open. */
  release(): void {
    this.#sink.off('error', this.#onError);
  }

  /** Free room of the current chunk, never empty; tell `taken` how much of it was filled. */
  get room(): Buffer {
    return this.#chunk.subarray(this.#used);
  }

  async taken(bytes: number): Promise<void> {
    this.#used += bytes;
    this.length += bytes;
    if (this.#used === CHUNK_BYTES) await this.flush();
    if (this.#slice.over) await this.#slice.pause();
  }

  async write(bytes: Buffer): Promise<void> {
    for (let offset = 0; offset < bytes.length; ) {
      const copied = bytes.copy(this.#chunk, this.#used, offset);
      offset += copied;
      await this.taken(copied);
    }
  }

  async zeros(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const room = this.room;
      const filled = Math.min(left, room.length);
      room.fill(0, 0, filled);
      left -= filled;
      await this.taken(filled);
    }
  }

  /** Hands over what is gathered; resolves when the sink wants more. */
  async flush(): Promise<void> {
    if (this.#used === 0) return;
    const chunk = this.#chunk;
    const full = this.#take();
    const recycle = (error: unknown) => {
      if (this.#sink instanceof Socket && !error) this.#free.push(chunk);
    };
    if (!this.#sink.write(full, recycle)) {
      await this.#waitFor((resolve) => {
        this.#sink.on('drain', resolve);
        return () => this.#sink.off('drain', resolve);
      });
    }
  }

  /** Hands over the rest; resolves when the sink has passed on everything. */
  async finish(): Promise<void> {
    const full = this.#take();
    await this.#waitFor((resolve) => {
      this.#sink.write(full, (error) => {
        if (error === undefined || error === null) resolve();
      });
      return () => {};
    });
  }

  #take(): Buffer {
    const full = this.#chunk.subarray(0, this.#used);
    this.#chunk = this.#free.pop() ?? Buffer.allocUnsafe(CHUNK_BYTES);
    this.#used = 0;
    this.#signal?.throwIfAborted();
    if (this.#sink.destroyed || this.#sink.writableEnded) throw closed(this.#sink.errored);
    return full;
  }

  /** Waits for what `listen` waits for, or for the sink or the run to end; leaves no listener behind. */
  #waitFor(listen: (resolve: () => void) => () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (act: () => void) => {
        this.#sink.off('close', onClose).off('error', onClose);
        this.#signal?.removeEventListener('abort', onAbort);
        stopListening();
        act();
      };
      const onClose = () => done(() => reject(closed(this.#sink.errored)));
      const onAbort = () => done(() => reject(this.#signal?.reason));
      this.#sink.on('close', onClose).on('error', onClose);
      this.#signal?.addEventListener('abort', onAbort);
      const stopListening = listen(() => done(resolve));
      // Either may have happened inside the write itself, before anybody listened.
      if (this.#signal?.aborted) onAbort();
      else if (this.#sink.destroyed) onClose();
    });
  }
}

function closed(cause: unknown): SandboxError {
  return new SandboxError('wire', 'The sandbox stopped reading while the repository was being copied into it.', {
    cause,
    hint: 'Look at what the container wrote last; a full workspace (--disk) ends the copy like this.',
  });
}
