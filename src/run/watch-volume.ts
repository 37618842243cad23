import { watchDisk } from '../container/disk-watch.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { ExecuteParts } from './execute.ts';

/** A workspace on disk has no quota of the engine; ours ends the run. */
export async function watchVolume(
  parts: ExecuteParts,
  plan: RunPlan,
  container: string,
  signal: AbortSignal,
): Promise<void> {
  const { volume, bridgeUid, agentUid } = plan.container;
  if (volume === undefined) return;
  const watched = {
    engine: parts.prepared.engine,
    container,
    bridgeUid,
    agentUid,
    path: volume.target,
    size: volume.size,
  };
  const reason = await watchDisk(watched, signal);
  if (reason !== undefined) parts.stops.limit('disk', reason);
}
