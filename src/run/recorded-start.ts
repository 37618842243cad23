import path from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { SandboxError } from '../errors.ts';
import { readTranscript } from '../transcript/read-transcript.ts';
import { TRANSCRIPT_FILE } from '../transcript/transcript.ts';

const Count = Type.Integer({ minimum: 0 });

/** The part of the `run_started` record that later commands use. */
const Started = Type.Object({
  type: Type.Literal('run_started'),
  image: Type.String(),
  machine: Type.String(),
  engine: Type.Object({ version: Type.String(), api: Type.String(), endpoint: Type.String() }),
  workspace: Type.Object({ mode: Type.String(), root: Type.String(), files: Count, bytes: Count }),
  leftOut: Type.Record(Type.String(), Count),
});
export type RecordedStart = Static<typeof Started>;

/** Records that are looked at: the start comes first, a few damaged lines may stand before it. */
const MAX_RECORDS = 10;

/** What a run's transcript says about its start. Undefined when the run never got that far. */
export async function recordedStart(runFolder: string): Promise<RecordedStart | undefined> {
  let seen = 0;
  try {
    for await (const record of readTranscript(path.join(runFolder, TRANSCRIPT_FILE))) {
      if (Check(Started, record)) return record;
      if (++seen === MAX_RECORDS) return undefined;
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
  }
  return undefined;
}
