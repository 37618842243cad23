import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { BuildProgress } from './build-progress.ts';
import { contextStream } from './context.ts';
import type { ImageEngine } from './engine.ts';

/**
 * Runs the checks of `images/build/require.sh` in an image, alone. A real build would come to them only after pi was
 * installed and sent to the engine.
 */
export async function preflight(engine: ImageEngine, root: string, base: string, signal: AbortSignal): Promise<void> {
  const tag = `pi-sandbox-preflight:${randomUUID()}`;
  const progress = new BuildProgress(() => {});
  const messages = engine.build(contextStream(join(root, 'images/build'), signal), {
    tag,
    dockerfile: 'Dockerfile.preflight',
    buildArgs: { BASE_IMAGE: base },
    labels: {},
    network: false,
    signal,
  });
  for await (const message of messages) progress.take(message);
  await engine.removeImage(tag);
}
