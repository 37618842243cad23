import { showPath } from '../lib/path-bytes.ts';
import type { ChangeSet, Refused } from '../protocol/changes.ts';
import { MAX_PATH_BYTES, MAX_REFUSED_LISTED } from './limits.ts';
import { parentOf, pathBytes } from './path-keys.ts';

type Reason = Refused['reason'] | 'ignored';

interface Entry {
  readonly reason: Reason;
  readonly detail: string;
  /** Whether things below it can be meant at all. */
  readonly folder: boolean;
  /** Refused with it. */
  below: number;
}

/** What is not handed back. With a path everything below it is refused, and all of it stays as it was at the start. */
export class Refusals {
  readonly #entries = new Map<string, Entry>();

  /** The first reason stays. */
  add(key: string, reason: Reason, detail: string, folder = false): void {
    if (!this.#entries.has(key)) this.#entries.set(key, { reason, detail, folder, below: 0 });
  }

  addBelow(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.below += 1;
  }

  get(key: string): { readonly reason: Reason; readonly detail: string; readonly folder: boolean } | undefined {
    return this.#entries.get(key);
  }

  /** The refused path that this one is or lies below. */
  covering(key: string): string | undefined {
    if (this.#entries.size === 0) return undefined;
    for (let at = key; at !== ''; at = parentOf(at)) if (this.#entries.has(at)) return at;
    return undefined;
  }

  keys(): string[] {
    return [...this.#entries.keys()];
  }

  result(): Pick<ChangeSet, 'refused' | 'refusedCount' | 'ignored' | 'ignoredCount'> {
    const refused: Refused[] = [];
    const ignored: string[] = [];
    let [refusedCount, ignoredCount] = [0, 0];
    for (const [key, { reason, detail, folder, below }] of [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const path = showPath(pathBytes(key).subarray(0, MAX_PATH_BYTES));
      if (reason === 'ignored') {
        ignoredCount += 1 + below;
        if (ignored.length < MAX_REFUSED_LISTED) ignored.push(folder ? `${path}/` : path);
        continue;
      }
      refusedCount += 1 + below;
      const more = below === 0 ? '' : ` With it ${below} ${below === 1 ? 'entry' : 'entries'} below it.`;
      if (refused.length < MAX_REFUSED_LISTED) refused.push({ path, reason, detail: `${detail}${more}` });
    }
    return { refused, refusedCount, ignored, ignoredCount };
  }
}
