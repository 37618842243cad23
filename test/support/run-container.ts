import type { Engine } from '../../src/container/engine.ts';
import { uidPair } from '../../src/protocol/guest.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import type { LiveRun } from './session.ts';

/** The container of a run that is under way, and the user id of its agent, from the engine's labels. */
export async function agentOf(engine: Engine, run: LiveRun): Promise<{ container: string; uid: number }> {
  const container = String((await run.until(({ type }) => type === 'ready'))['container']);
  const found = (await engine.list({ [LABEL.run]: run.records[0]?.run ?? '' })).find(({ id }) => id === container);
  if (found === undefined) throw new Error(`the engine does not list ${container}`);
  return { container, uid: uidPair(Number(found.labels[LABEL.slot])).agent };
}
