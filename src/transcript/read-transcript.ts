import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { messageOf, SandboxError } from '../errors.ts';
import { lines } from '../lib/lines.ts';
import type { SandboxRecord } from '../protocol/record.ts';
import { parseRecord } from './parse-record.ts';
import { codeOf } from './private-folder.ts';

/** A line that is no record: cut off by a full disk or a killed controller. */
export interface TornLine {
  readonly torn: true;
  readonly bytes: number;
}

/** Longest record, bytes: an event line of pi may have 16 MiB and becomes longer when it is escaped again. */
const RECORD_BYTES = 64 * 1024 * 1024;

/** Records of a transcript in the order of the file; damaged lines are reported in their place. @throws SandboxError `state` */
export async function* readTranscript(path: string): AsyncGenerator<SandboxRecord | TornLine, void> {
  const handle = await openTranscript(path);
  try {
    yield* records(handle.createReadStream({ autoClose: false }));
  } finally {
    await handle.close();
  }
}

/** Bytes of a transcript to records. */
export async function* records(bytes: AsyncIterable<Buffer>): AsyncGenerator<SandboxRecord | TornLine, void> {
  for await (const line of lines(bytes, { lineBytes: RECORD_BYTES, totalBytes: Number.MAX_SAFE_INTEGER })) {
    if (line.kind !== 'line') yield { torn: true, bytes: line.bytes };
    else yield parseRecord(line.content) ?? { torn: true, bytes: line.content.length };
  }
}

/** Never follows a link, never waits on a pipe. @throws SandboxError `state` */
export async function openTranscript(path: string): ReturnType<typeof open> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const what = codeOf(error) === 'ENOENT' ? 'there is none' : (codeOf(error) ?? messageOf(error));
    throw new SandboxError('state', `Cannot read the transcript ${path}: ${what}.`, { cause: error });
  }
}
