import { formatBytes, plural } from '../lib/format.ts';
import type { EgressSums, NetworkPlan } from '../protocol/network.ts';

/** Hosts that are named. */
const MAX_PLACES = 20;

/** What programs of a run could reach and did, one fact each; nothing where there was no network and none was asked for. */
export function networkTexts(plan: NetworkPlan | undefined, sums: EgressSums | undefined): string[] {
  if (plan === undefined || plan.mode === 'none') return [];
  const { allowed = 0, refused = 0, sent = 0, received = 0, reached = [], wanted = [] } = sums ?? {};
  const traffic = `${plural(allowed, 'connection')}, ${formatBytes(sent)} out, ${formatBytes(received)} in`;
  return [
    `${plan.mode}: ${traffic}; ${refused} refused`,
    ...named('allowed', plan.allow),
    ...named('reached', reached),
    ...named('refused', wanted),
  ];
}

function named(what: string, places: readonly string[]): string[] {
  if (places.length === 0) return [];
  const more = places.length > MAX_PLACES ? `, and ${places.length - MAX_PLACES} more` : '';
  return [`${what}: ${places.slice(0, MAX_PLACES).join(', ')}${more}`];
}
