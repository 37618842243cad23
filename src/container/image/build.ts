import { SandboxError } from '../../errors.ts';
import { LABEL } from '../../protocol/labels.ts';
import { defaultBase, isLocalBase } from './base.ts';
import { BuildProgress } from './build-progress.ts';
import { checkBase, checkImage } from './check.ts';
import { contextStream } from './context.ts';
import type { ImageEngine } from './engine.ts';
import { imageFacts } from './facts.ts';
import { guestFingerprint, productVersion } from './fingerprint.ts';
import { imageTag } from './names.ts';
import { preflight } from './preflight.ts';
import { nodeArch, stageContext } from './stage.ts';

export interface BuildImageOptions {
  readonly engine: ImageEngine;
  /** The product's root: where Dockerfile.pi and images/ are. */
  readonly root: string;
  /** The user's own image to layer upon; it gets no packages. */
  readonly from?: string;
  /** The base of the default image, and where tools for `from` come from. Default: see `defaultBase`. */
  readonly base?: string;
  /** Existing private folder below which the build context is staged, for the time of the build. */
  readonly stateDir: string;
  /** Whole environment of npm. Nothing of it reaches the image. */
  readonly env: Readonly<Record<string, string>>;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface BuiltImage {
  readonly tag: string;
  readonly id: string;
  readonly base: string;
}

/** Builds the sandbox image and checks the result. Throws SandboxError `image` with the failing step. */
export async function buildImage(options: BuildImageOptions): Promise<BuiltImage> {
  const { engine, root, from, signal, onProgress } = options;
  const [version, fingerprint] = await Promise.all([productVersion(root), guestFingerprint(root)]);
  const tools = options.base ?? (await defaultBase(engine));
  const base = from ?? tools;
  await checkBaseImage(engine, base, from !== undefined);
  const tag = imageTag(version, fingerprint, from);
  if (from !== undefined) await preflight(engine, root, from, signal);

  onProgress('Installing pi and Node for the image');
  const arch = nodeArch(engine.facts.arch);
  await using staged = await stageContext({ root, parent: options.stateDir, arch, env: options.env, signal });
  const progress = new BuildProgress(onProgress);
  const messages = engine.build(contextStream(staged.folder, signal), {
    tag,
    dockerfile: 'Dockerfile.pi',
    buildArgs: { BASE_IMAGE: base, TOOLS_IMAGE: tools, INSTALL_PACKAGES: from === undefined ? 'yes' : 'no' },
    labels: {
      [LABEL.version]: version,
      [LABEL.guest]: fingerprint,
      [LABEL.base]: base,
      [LABEL.origin]: from === undefined ? 'product' : 'user',
    },
    // What was built on this machine holds every package already; the published base lacks some.
    network: !isLocalBase(tools),
    signal,
  });
  for await (const message of messages) progress.take(message);
  signal.throwIfAborted();

  const facts = imageFacts(tag, await engine.inspectImage(tag));
  if (facts === undefined)
    throw new SandboxError('image', `The build ended without an error, but there is no image ${tag}.`);
  checkImage(facts, { name: tag, version, fingerprint });
  return { tag, id: facts.Id, base };
}

/** A base that is not here is left to the engine, which may know a registry; only `from` must be here already. */
async function checkBaseImage(engine: ImageEngine, base: string, mustExist: boolean): Promise<void> {
  const facts = imageFacts(base, await engine.inspectImage(base));
  if (facts !== undefined) checkBase(base, facts);
  else if (mustExist) {
    throw new SandboxError('image', `There is no image ${base} in the engine to layer upon.`, {
      hint: `Pull or build it first, for example: docker pull ${base}`,
    });
  }
}
