import type { Readable } from 'node:stream';
import { SandboxError } from '../errors.ts';
import { DemuxedReader } from './demuxed-reader.ts';
import { FrameHeader, HEADER_BYTES, STDERR } from './frame-header.ts';

export interface Demuxed {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Resolves when the source ended between two frames. Rejects with SandboxError `wire`, which names the offset, for a
   * bad header, a cut frame or a lost connection. It need not be awaited: both readers fail with the same error once
   * what arrived before it has been read.
   */
  readonly done: Promise<void>;
}

/**
 * Splits the engine's attach and exec framing. Payload is passed on in slices as it arrives, never joined, so a frame of
 * 4 GiB costs no memory. The source stands still while either reader is full; a reader that was destroyed is not
 * waited for, its bytes are discarded.
 */
export function demux(source: Readable): Demuxed {
  const resume = (): void => {
    if (!stdout.full && !stderr.full) source.resume();
  };
  const stdout = new DemuxedReader(resume);
  const stderr = new DemuxedReader(resume);
  const header = new FrameHeader();
  let offset = 0;
  let left = 0;
  let sink = stdout;
  let finished = false;
  let settle: (error?: SandboxError) => void;
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  done.catch(() => {});

  function finish(error?: SandboxError): void {
    if (finished) return;
    finished = true;
    source.off('data', take);
    for (const reader of [stdout, stderr]) reader.finish(error);
    settle(error);
    if (error !== undefined) source.destroy();
  }

  function take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        at += header.take(chunk.subarray(at));
        if (!header.complete) break;
        const problem = header.problem(offset + at - HEADER_BYTES);
        if (problem !== undefined) {
          finish(problem);
          return;
        }
        left = header.length;
        sink = header.type === STDERR ? stderr : stdout;
        header.reset();
      } else {
        const slice = chunk.subarray(at, at + left);
        at += slice.length;
        left -= slice.length;
        sink.deliver(slice);
      }
    }
    offset += chunk.length;
    if (stdout.full || stderr.full) source.pause();
  }

  function ended(): void {
    if (left > 0) finish(wireError(`ended inside a frame at byte ${offset}: ${left} bytes of it are missing`));
    else if (header.started) finish(wireError(`ended inside a frame header at byte ${offset}`));
    else finish();
  }

  source.on('data', take);
  source.once('end', ended);
  source.on('error', (cause) => finish(wireError(`failed at byte ${offset}: ${cause.message}`, cause)));
  source.once('close', () => finish(wireError(`was closed at byte ${offset} before its end`)));
  return { stdout, stderr, done };
}

function wireError(what: string, cause?: unknown): SandboxError {
  return new SandboxError('wire', `The output stream from the engine ${what}.`, { cause });
}
