import type { FileHandle } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { SandboxRecord } from '../protocol/record.ts';
import { openTranscript, records, type TornLine } from './read-transcript.ts';

export interface FollowOptions {
  /** Ends the reading; what was read so far has been delivered. */
  readonly signal?: AbortSignal;
  /** Whether the run's controller still answers. Asked when there is nothing new to read. */
  readonly isLive: () => Promise<boolean>;
  /** Pause between two looks at the end of the file, milliseconds. */
  readonly pollMs?: number;
}

const POLL_MS = 100;
const CHUNK_BYTES = 64 * 1024;

/**
 * Records of a transcript as they are added, from its start. Ends after the outcome, when the run is no longer live, and
 * on the signal. Polls, since change notices do not work on every file system.
 */
export async function* followTranscript(
  path: string,
  options: FollowOptions,
): AsyncGenerator<SandboxRecord | TornLine, void> {
  const handle = await openTranscript(path);
  try {
    for await (const record of records(growing(handle, options))) {
      yield record;
      if (!('torn' in record) && record.type === 'outcome') return;
    }
  } finally {
    await handle.close();
  }
}

async function* growing(handle: FileHandle, options: FollowOptions): AsyncGenerator<Buffer, void> {
  let position = 0;
  let live = true;
  while (options.signal?.aborted !== true) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    position += bytesRead;
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    // The last look comes after the answer that nobody writes any more.
    else if (!live) return;
    else if (!(await options.isLive())) live = false;
    else await pause(options);
  }
}

async function pause({ signal, pollMs = POLL_MS }: FollowOptions): Promise<void> {
  try {
    await wait(pollMs, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}
