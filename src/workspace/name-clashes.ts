import { joinPath, showPath } from '../lib/path-bytes.ts';
import { LISTED_IN_NOTICE } from './limits.ts';

/**
 * Finds names in one folder that differ only in case or in Unicode form. They are apart in the sandbox, but one file
 * on a disk that does not tell them apart.
 */
export class NameClashes {
  #count = 0;
  readonly #listed: string[] = [];

  /** Looks at the names of one folder that enter the sandbox. */
  check(folder: Buffer, names: readonly Buffer[]): void {
    const seen = new Map<string, Buffer>();
    for (const name of names) {
      const key = name.toString('utf8').normalize('NFC').toLowerCase();
      const other = seen.get(key);
      // Names that are not UTF-8 can fold to the same replacement characters without being alike.
      if (other !== undefined && !key.includes('\ufffd')) this.#add(joinPath(folder, other), joinPath(folder, name));
      seen.set(key, name);
    }
  }

  notice(): string | undefined {
    if (this.#count === 0) return undefined;
    const more = this.#count - this.#listed.length;
    return (
      `Names that are the same on a disk that ignores case or Unicode form: ${this.#listed.join(', ')}` +
      `${more > 0 ? `, and ${more} more` : ''}.`
    );
  }

  #add(one: Buffer, other: Buffer): void {
    this.#count += 1;
    if (this.#listed.length < LISTED_IN_NOTICE) this.#listed.push(`${showPath(one)} and ${showPath(other)}`);
  }
}
