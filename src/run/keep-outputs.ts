import { createHash } from 'node:crypto';
import { createWriteStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from '@sinclair/typebox';
import type { Engine } from '../container/engine.ts';
import { MiB } from '../lib/bytes.ts';
import { createFile } from '../transcript/private-file.ts';
import type { RunFolder } from '../transcript/run-folder.ts';
import type { OutputPaths } from './output-paths.ts';
import { readInside } from './outputs.ts';
import type { RunRedaction } from './redaction.ts';

/** All kept outputs of one run, bytes, and how many. */
const MAX_KEPT_BYTES = 64 * MiB;
const MAX_KEPT_FILES = 500;
/** Longest time that one file may take, milliseconds. */
const FILE_MS = 20_000;

export const OUTPUTS_FOLDER = 'outputs';

/** Name of the file that keeps a call's output. Call ids come from a model and may be anything, so they are hashed. */
export function outputFile(call: string): string {
  return `${createHash('sha256').update(call).digest('hex')}.log`;
}

/** Beside a kept output that is not what the command printed, byte for byte. */
export const KeptNote = Type.Object(
  {
    /** What was read of the output, bytes, before secrets were taken out. */
    bytes: Type.Integer({ minimum: 0 }),
    /** Secrets that were taken out. */
    redacted: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
);
export type KeptNote = Static<typeof KeptNote>;

/** Name of the note beside a kept output. */
export function noteFile(call: string): string {
  return outputFile(call).replace(/log$/, 'json');
}

interface Source {
  readonly engine: Engine;
  readonly container: string;
  readonly uid: number;
  readonly redaction: RunRedaction;
}

/**
 * Copies the full bash outputs out of the container into the run folder, redacted. Returns how many were kept and left
 * out, and how many secrets were taken out; one that cannot be read costs no other.
 */
export async function keepOutputs(
  source: Source & { outputs: OutputPaths },
  folder: RunFolder,
): Promise<{ kept: number; leftOut: number; redacted: number }> {
  const target = folder.subfolder(OUTPUTS_FOLDER);
  let room = MAX_KEPT_BYTES;
  const done = { kept: 0, leftOut: 0, redacted: 0 };
  for (const [call, path] of source.outputs.entries()) {
    const file = `${target}/${outputFile(call)}`;
    const note = room > 0 && done.kept < MAX_KEPT_FILES ? await copy(source, path, file, room) : undefined;
    if (note === undefined) {
      done.leftOut++;
      continue;
    }
    if (note.redacted > 0) createFile(`${target}/${noteFile(call)}`, `${JSON.stringify(note)}\n`);
    room -= Math.max(note.bytes, statSync(file).size);
    done.redacted += note.redacted;
    done.kept++;
  }
  return done;
}

async function copy(source: Source, path: string, file: string, maxBytes: number): Promise<KeptNote | undefined> {
  try {
    const signal = AbortSignal.timeout(FILE_MS);
    const content = await readInside(source, path, maxBytes);
    const redacting = source.redaction.bytes();
    await pipeline(content, redacting, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
    return { bytes: redacting.bytes, redacted: redacting.redacted };
  } catch {
    return undefined;
  }
}
