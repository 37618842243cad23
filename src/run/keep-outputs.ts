import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Engine } from '../container/engine.ts';
import { MiB } from '../lib/bytes.ts';
import type { RunFolder } from '../transcript/run-folder.ts';
import type { OutputPaths } from './output-paths.ts';
import { readInside } from './outputs.ts';

/** All kept outputs of one run, bytes, and how many. */
const MAX_KEPT_BYTES = 64 * MiB;
const MAX_KEPT_FILES = 500;

export const OUTPUTS_FOLDER = 'outputs';

/** Name of the file that keeps a call's output. Call ids come from a model, so they are encoded. */
export function outputFile(call: string): string {
  return `${Buffer.from(call).toString('hex').slice(0, 200)}.log`;
}

/** Copies the full bash outputs out of the container into the run folder. Returns how many were kept and left out. */
export async function keepOutputs(
  source: { engine: Engine; container: string; uid: number; outputs: OutputPaths },
  folder: RunFolder,
): Promise<{ kept: number; leftOut: number }> {
  const target = folder.subfolder(OUTPUTS_FOLDER);
  let room = MAX_KEPT_BYTES;
  let kept = 0;
  let leftOut = 0;
  for (const [call, path] of source.outputs.entries()) {
    if (room <= 0 || kept >= MAX_KEPT_FILES) {
      leftOut++;
      continue;
    }
    const limit = new ByteLimit(room);
    const file = createWriteStream(`${target}/${outputFile(call)}`, { flags: 'wx', mode: 0o600 });
    await pipeline(await readInside(source.engine, source.container, source.uid, path), limit, file);
    room -= limit.passed;
    kept++;
  }
  return { kept, leftOut };
}

/** Passes at most so many bytes and swallows the rest. */
class ByteLimit extends Transform {
  passed = 0;

  constructor(max: number) {
    super({
      transform: (chunk: Buffer, _encoding, done) => {
        const slice = chunk.subarray(0, max - this.passed);
        this.passed += slice.length;
        done(null, slice);
      },
    });
  }
}
