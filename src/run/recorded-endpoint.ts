import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { SandboxError } from '../errors.ts';
import { readTranscript } from '../transcript/read-transcript.ts';
import { TRANSCRIPT_FILE } from '../transcript/transcript.ts';

const Started = Type.Object({ type: Type.Literal('run_started'), engine: Type.Object({ endpoint: Type.String() }) });

/** Records that are looked at: the start comes first, a few recovered or damaged lines may stand before it. */
const MAX_RECORDS = 10;

/** Address of the engine that a run was started on, as its transcript says. Undefined when it never got that far. */
export async function findEndpointOf(runFolder: string): Promise<string | undefined> {
  let seen = 0;
  try {
    for await (const record of readTranscript(path.join(runFolder, TRANSCRIPT_FILE))) {
      if (Value.Check(Started, record)) return record.engine.endpoint;
      if (++seen === MAX_RECORDS) return undefined;
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
  }
  return undefined;
}
