import { LABEL } from '../../protocol/labels.ts';
import type { ImageEngine } from './engine.ts';

/** The base where a registry can be reached. Its distribution has fd 10, which pi needs. */
export const PUBLISHED_BASE = 'node:24-trixie-slim';
/** Repository name of base images that `images/base/build` made on this machine. */
const LOCAL_BASE = 'pi-sandbox-base';

/** Whether an image is such a base; nothing needs to be installed into it. */
export function isLocalBase(name: string): boolean {
  return name.startsWith(`${LOCAL_BASE}:`);
}

/** The newest base image that was built on this machine, else the published one. */
export async function defaultBase(engine: Pick<ImageEngine, 'images'>): Promise<string> {
  const built = await engine.images({ [LABEL.base]: true });
  const named = built.toSorted((a, b) => b.created - a.created).flatMap((image) => image.tags.filter(isLocalBase));
  return named[0] ?? PUBLISHED_BASE;
}
