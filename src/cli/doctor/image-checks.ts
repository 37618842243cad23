import type { Engine } from '../../container/engine.ts';
import { defaultBase, PUBLISHED_BASE } from '../../container/image/base.ts';
import { checkImage } from '../../container/image/check.ts';
import { imageFacts } from '../../container/image/facts.ts';
import { SandboxError } from '../../errors.ts';
import { LABEL } from '../../protocol/labels.ts';
import { wantedImage } from '../ensure-image.ts';
import { type Check, ok, warn } from './check.ts';

/** Whether the image of this version is there, and what it would be built from. */
export async function imageChecks(engine: Engine): Promise<Check[]> {
  const wanted = await wantedImage();
  const facts = imageFacts(wanted.tag, await engine.inspectImage(wanted.tag));
  if (facts === undefined) {
    const meaning = 'The first run builds it, which takes minutes and needs the npm registry.';
    const missing = warn('image', `${wanted.tag} is not there`, meaning, 'Build it now: pi-sandbox image build');
    return [missing, await baseCheck(engine)];
  }
  try {
    checkImage(facts, { ...wanted, name: wanted.tag });
    const base = facts.Config?.Labels?.[LABEL.base] ?? 'unknown';
    return [ok('image', `${wanted.tag} is there and fits`), ok('base', `the image was made from ${base}`)];
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return [warn('image', error.message, 'Runs refuse it.', error.hint), await baseCheck(engine)];
  }
}

async function baseCheck(engine: Engine): Promise<Check> {
  const base = await defaultBase(engine);
  if ((await engine.inspectImage(base)) !== undefined) return ok('base', `${base} is there`);
  const meaning = 'The engine will pull it when the image is built, which needs its registry.';
  const advice = base === PUBLISHED_BASE ? 'Without a registry, make one from packages: images/base/build' : undefined;
  return warn('base', `${base} is not there`, meaning, advice);
}
