import type { DamageReason, PiItem } from './pi-stream.ts';

/** Names of unknown types that are counted one by one; the rest is counted together. */
const MAX_TYPES = 32;
const OTHER = '(other)';

/** How much of pi's output was what. */
export class PiTally {
  events = 0;
  readonly damaged: Record<DamageReason, number> = { overlong: 0, utf8: 0, depth: 0, json: 0, schema: 0, torn: 0 };
  readonly #unknown = new Map<string, number>();

  count(item: PiItem): void {
    if (item.kind === 'event') this.events++;
    else if (item.kind === 'damaged') this.damaged[item.reason]++;
    else this.#countUnknown(item.type);
  }

  get damagedItems(): number {
    return Object.values(this.damaged).reduce((sum, count) => sum + count, 0);
  }

  /** Counts per unknown type. */
  get unknown(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#unknown);
  }

  #countUnknown(type: string): void {
    const key = this.#unknown.has(type) || this.#unknown.size < MAX_TYPES ? type : OTHER;
    this.#unknown.set(key, (this.#unknown.get(key) ?? 0) + 1);
  }
}
