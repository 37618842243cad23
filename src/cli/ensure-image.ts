import type { Engine } from '../container/engine.ts';
import { checkImage } from '../container/image/check.ts';
import { type ImageFacts, imageFacts } from '../container/image/facts.ts';
import { guardDigest, guestFingerprint, productVersion } from '../container/image/fingerprint.ts';
import { imageTag } from '../container/image/names.ts';
import { SandboxError } from '../errors.ts';
import type { ImageFactsForPlan } from '../plan/make-plan.ts';
import { LABEL } from '../protocol/labels.ts';
import { ensureStateRoot } from '../transcript/run-folder.ts';
import { environment } from './environment.ts';
import { productRoot } from './product-root.ts';

/** Name of the image of this very version, whether it is there or not. */
export async function wantedImage(): Promise<{
  tag: string;
  version: string;
  fingerprint: string;
  guardSha256: string;
}> {
  const [version, fingerprint, guardSha256] = await Promise.all([
    productVersion(productRoot),
    guestFingerprint(productRoot),
    guardDigest(productRoot),
  ]);
  return { tag: imageTag(version, fingerprint), version, fingerprint, guardSha256 };
}

/**
 * An image that fits this version: the one asked for, or the default one, which is built when it is missing. An image
 * of another version has another name, so it is never taken by mistake.
 */
export async function ensureImage(
  engine: Engine,
  asked: string | undefined,
  signal: AbortSignal,
  step: (line: string) => void,
  known = wantedImage(),
): Promise<ImageFactsForPlan> {
  const wanted = await known;
  const name = asked ?? wanted.tag;
  const facts = imageFacts(name, await engine.inspectImage(name));
  if (facts !== undefined) {
    checkImage(facts, { ...wanted, name });
    return forPlan(name, facts, wanted.guardSha256);
  }
  if (asked !== undefined) {
    throw new SandboxError('image', `There is no image ${asked} in the engine at ${engine.facts.endpoint}.`, {
      hint: 'Build one with "pi-sandbox image build" (--from IMG for a toolchain of your own), or leave --image out.',
    });
  }
  step(`Building the image ${wanted.tag}: the engine has none for this version of pi-sandbox.`);
  const { tag } = await build(engine, {}, signal, step);
  const built = imageFacts(tag, await engine.inspectImage(tag));
  if (built === undefined) throw new SandboxError('image', `The image ${tag} vanished right after it was built.`);
  return forPlan(tag, built, wanted.guardSha256);
}

/** What the plan depends on. Images on a base of the user's own get no packages, so no module for localhost either. */
function forPlan(name: string, { Config }: ImageFacts, guardSha256: string): ImageFactsForPlan {
  const path = Config?.Env?.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length);
  if (path === undefined) throw new SandboxError('image', `The image ${name} names no search path for commands.`);
  return { name, path, knowsLocalhost: Config?.Labels?.[LABEL.origin] === 'product', guardSha256 };
}

/** Builds an image and reports each step. */
export async function build(
  engine: Engine,
  options: { from?: string; base?: string },
  signal: AbortSignal,
  step: (line: string) => void,
): Promise<{ tag: string; id: string; base: string }> {
  // What is staged there becomes the image, so nobody else may reach it.
  ensureStateRoot(environment.stateRoot);
  const { buildImage } = await import('../container/image/build.ts');
  return buildImage({
    engine,
    root: productRoot,
    ...options,
    stateDir: environment.stateRoot,
    env: environment.forNpm(),
    onProgress: step,
    signal,
  });
}
