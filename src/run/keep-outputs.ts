import { createHash } from 'node:crypto';
import { createWriteStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Engine } from '../container/engine.ts';
import { MiB } from '../lib/bytes.ts';
import type { RunFolder } from '../transcript/run-folder.ts';
import type { OutputPaths } from './output-paths.ts';
import { readInside } from './outputs.ts';

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

/**
 * Copies the full bash outputs out of the container into the run folder. Returns how many were kept and left out; one
 * that cannot be read costs no other.
 */
export async function keepOutputs(
  source: { engine: Engine; container: string; uid: number; outputs: OutputPaths },
  folder: RunFolder,
): Promise<{ kept: number; leftOut: number }> {
  const target = folder.subfolder(OUTPUTS_FOLDER);
  let room = MAX_KEPT_BYTES;
  let kept = 0;
  let leftOut = 0;
  for (const [call, path] of source.outputs.entries()) {
    const file = `${target}/${outputFile(call)}`;
    if (room > 0 && kept < MAX_KEPT_FILES && (await copy(source, path, file, room))) {
      room -= statSync(file).size;
      kept++;
    } else leftOut++;
  }
  return { kept, leftOut };
}

async function copy(
  source: { engine: Engine; container: string; uid: number },
  path: string,
  file: string,
  maxBytes: number,
): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(FILE_MS);
    const content = await readInside(source, path, maxBytes);
    await pipeline(content, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
    return true;
  } catch {
    return false;
  }
}
