import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TAG = 'pi-sandbox-test-bare:bookworm';

/**
 * A Debian 12 image with next to nothing in it: no rg, fd, git, tini or node, and an older glibc than our base has.
 * Made once and kept, because it takes half a minute. (busybox is there to make an image without glibc from it.)
 */
export async function bareImage(): Promise<string> {
  const found = await run('docker', ['image', 'inspect', TAG]).then(
    () => true,
    () => false,
  );
  if (found) return TAG;
  const folder = await mkdtemp(join(tmpdir(), 'pi-sandbox-bare-'));
  try {
    const archive = join(folder, 'bare.tar');
    await run('chmod', ['755', folder]);
    await run('mmdebstrap', ['--mode=root', '--variant=minbase', '--include=busybox-static', 'bookworm', archive]);
    await run('docker', ['import', archive, TAG]);
  } finally {
    await rm(folder, { recursive: true });
  }
  return TAG;
}
