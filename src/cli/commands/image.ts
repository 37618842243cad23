import { checkImage } from '../../container/image/check.ts';
import { imageFacts } from '../../container/image/facts.ts';
import { imageTag } from '../../container/image/names.ts';
import { SandboxError } from '../../errors.ts';
import { formatBytes } from '../../lib/format.ts';
import type { ImageReport } from '../../protocol/image-report.ts';
import { LABEL } from '../../protocol/labels.ts';
import { connectEngine } from '../connect.ts';
import { build, wantedImage } from '../ensure-image.ts';
import { environment } from '../environment.ts';
import type { Interrupts } from '../interrupts.ts';
import { printJson, printTable } from '../print.ts';
import { Progress } from '../progress.ts';
import { recoverWith } from '../recover-first.ts';
import { Screen } from '../render-screen.ts';

export interface BuildOptions {
  readonly from?: string;
  readonly base?: string;
  readonly ifMissing?: boolean;
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 1, stop: 1 } as const;

/** `pi-sandbox image build`: progress on stderr, the tag on stdout. */
export async function imageBuild(options: BuildOptions, interrupts: Interrupts): Promise<number> {
  const engine = await connectEngine();
  await recoverWith(engine);
  const { version, fingerprint } = await wantedImage();
  const tag = imageTag(version, fingerprint, options.from);
  const progress = new Progress(new Screen(process.stderr, environment.display(process.stderr)));
  if (options.ifMissing === true) {
    const facts = imageFacts(tag, await engine.inspectImage(tag));
    if (facts !== undefined && problemOf(() => checkImage(facts, { name: tag, version, fingerprint })) === undefined) {
      progress.step(`The image ${tag} is there already.`);
      process.stdout.write(`${tag}\n`);
      return 0;
    }
  }
  const stopped = new AbortController();
  let exitCode = 0;
  const unsubscribe = interrupts.listen((kind) => {
    exitCode = EXIT_CODES[kind];
    stopped.abort(new Error('the build was interrupted'));
  });
  try {
    const { from, base } = options;
    const wanted = { ...(from === undefined ? {} : { from }), ...(base === undefined ? {} : { base }) };
    const built = await build(engine, wanted, stopped.signal, (line) => progress.step(line));
    process.stdout.write(`${built.tag}\n`);
    return 0;
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    progress.step('Interrupted; no image was made.');
    return exitCode;
  } finally {
    unsubscribe();
  }
}

/** `pi-sandbox image show`: the image of this version. Exit code 5 when there is none, or it does not fit. */
export async function imageShow(options: { readonly json?: boolean }): Promise<number> {
  const engine = await connectEngine();
  await recoverWith(engine);
  const { tag, version, fingerprint } = await wantedImage();
  const facts = imageFacts(tag, await engine.inspectImage(tag));
  if (facts === undefined) {
    throw new SandboxError('image', `There is no image ${tag} in the engine at ${engine.facts.endpoint}.`, {
      hint: 'Build it: pi-sandbox image build',
    });
  }
  const problem = problemOf(() => checkImage(facts, { name: tag, version, fingerprint }));
  const labels = facts.Config?.Labels ?? {};
  const size = (await engine.images({ [LABEL.guest]: true })).find((image) => image.id === facts.Id)?.size;
  const { [LABEL.base]: base, [LABEL.version]: builtBy, [LABEL.guest]: holds } = labels;
  const shown: ImageReport = {
    v: 1,
    tag,
    id: facts.Id,
    ...(size === undefined ? {} : { size }),
    ...(base === undefined ? {} : { base }),
    ...(builtBy === undefined ? {} : { version: builtBy }),
    ...(holds === undefined ? {} : { fingerprint: holds }),
    fits: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
  };
  if (options.json === true) printJson(shown);
  else {
    printTable([
      ['Tag', tag],
      ['Id', shown.id],
      ['Size', size === undefined ? 'unknown' : formatBytes(size)],
      ['Base', shown.base ?? 'unknown'],
      ['Version', shown.version ?? 'unknown'],
      ['Fingerprint', shown.fingerprint ?? 'unknown'],
      ['Fits', problem ?? 'yes'],
    ]);
  }
  return problem === undefined ? 0 : 5;
}

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError) return error.message;
    throw error;
  }
}
