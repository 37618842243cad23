import { spawn } from 'node:child_process';
import path from 'node:path';

const BIN = path.join(import.meta.dirname, '../../bin/pi-sandbox.mjs');

/** Time for `imageReady` in a `beforeAll`, milliseconds: a build from nothing. */
export const IMAGE_MS = 600_000;

/** The image of this version is in the engine; built when it is missing. For `beforeAll`, where no test can clean up. */
export async function imageReady(): Promise<void> {
  const child = spawn(process.execPath, [BIN, 'image', 'build', '--if-missing'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`The image could not be built (${code}): ${said}`);
}
