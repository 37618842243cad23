import type { EgressEndEntry, EgressEntry, EgressSums } from '../protocol/network.ts';
import { canBeAllowed } from './allow-host.ts';
import { authorityText } from './authority.ts';

/** `host:port` that are named. */
const MAX_NAMED = 200;

/** Sums up attempts, as they are made or as a ledger has them. */
export class EgressTally {
  readonly #reached = new Set<string>();
  readonly #wanted = new Set<string>();
  #allowed = 0;
  #refused = 0;
  #sent = 0;
  #received = 0;

  get sums(): EgressSums {
    return {
      ...{ allowed: this.#allowed, refused: this.#refused, sent: this.#sent, received: this.#received },
      ...{ reached: [...this.#reached], wanted: [...this.#wanted] },
    };
  }

  add(entry: EgressEntry | EgressEndEntry): void {
    if (entry.entry === 'egress_end') {
      this.#sent += entry.sent;
      this.#received += entry.received;
      return;
    }
    const { decision, code, host, port } = entry;
    if (decision === 'allow') this.#allowed++;
    else this.#refused++;
    if (host === undefined || port === undefined) return;
    const text = authorityText({ host, port });
    if (decision === 'allow') remember(this.#reached, text);
    else if (code === 'not_allowed' && canBeAllowed(text)) remember(this.#wanted, text);
  }
}

function remember(places: Set<string>, text: string): void {
  if (places.size < MAX_NAMED) places.add(text);
}
