import type { Egress } from '../egress/egress.ts';
import type { NetworkPlan } from '../protocol/network.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { RunFiles } from './run-files.ts';
import type { Stops } from './stops.ts';
import type { RunTimers } from './timers.ts';

/** Hosts that one sentence names. */
const MAX_NAMED = 20;

/** The way out of a run, joined to its records; undefined where it has none. Loaded only where it is needed. */
export async function egressOfRun(
  plan: RunPlan,
  { files, timers, stops }: { files: RunFiles; timers: RunTimers; stops: Stops },
): Promise<Egress | undefined> {
  if (plan.network.mode === 'none') return undefined;
  const { Egress } = await import('../egress/egress.ts');
  return new Egress({
    run: plan.run,
    plan: plan.network,
    record: (entry) => void files.record(entry),
    ledger: (entry) => files.ledger(entry),
    onFailure: (error) => stops.fail(error),
    onActivity: () => timers.touch(),
  });
}

/** Closes it, and says what was reached and what would have been needed. */
export async function closeEgress(
  egress: Egress | undefined,
  { mode }: NetworkPlan,
  files: Pick<RunFiles, 'record'>,
): Promise<void> {
  if (egress === undefined) return;
  await egress.close();
  const { reached, wanted } = egress.sums;
  const say = (message: string): void => void files.record({ source: 'observed', type: 'notice', message });
  if (mode === 'open' && reached.length > 0) say(`What was reached can be allowed by itself: ${options(reached)}`);
  if (mode === 'learn' && wanted.length === 0) say('Nothing was asked for that is not allowed.');
  else if (mode !== 'open' && wanted.length > 0) say(`To let through what was refused: ${options(wanted)}`);
}

/** The smallest options that let these through. */
function options(places: readonly string[]): string {
  const named = places.slice(0, MAX_NAMED).map((place) => `--allow ${place}`);
  const more = places.length - named.length;
  return `${named.join(' ')}${more > 0 ? ` and ${more} more, which pi-sandbox show --json lists` : ''}`;
}
