import type { Redacted, RedactOptions, Redactor } from '../policy/redact/redactor.ts';

/** Shorter texts are looked at again. */
const MIN_KEPT = 512;
/** All texts that are remembered, characters. */
const MAX_KEPT = 8 * 1024 * 1024;

/** A conversation is sent whole with every call: what was looked at once is remembered, the least used forgotten. */
export class RedactedTexts {
  readonly #redactor: Redactor;
  readonly #known = new Map<string, Redacted>();
  #kept = 0;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  redact(text: string, { ownOnly = false }: RedactOptions): Redacted {
    if (text.length < MIN_KEPT || text.length > MAX_KEPT) return this.#redactor.redact(text, { ownOnly });
    const key = `${ownOnly ? 'o' : 'a'}${text}`;
    const known = this.#known.get(key);
    const redacted = known ?? this.#redactor.redact(text, { ownOnly });
    if (known === undefined) this.#kept += key.length;
    else this.#known.delete(key);
    // The last one of a map is the one that was used last.
    this.#known.set(key, redacted);
    for (const oldest of this.#known.keys()) {
      if (this.#kept <= MAX_KEPT) break;
      this.#known.delete(oldest);
      this.#kept -= oldest.length;
    }
    return redacted;
  }
}
