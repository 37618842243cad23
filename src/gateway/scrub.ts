import { MIN_FORM, secretForms } from '../lib/secret-forms.ts';

const REPLACEMENT = '[secret removed]';
/** Secrets that are known at once. A login is renewed each hour or so; the first of hundreds are long worth nothing. */
const MAX_SECRETS = 200;

/**
 * Takes secrets out of text that leaves the host: as they are, and in base64, percent and hex encoding. Nothing
 * should ever contain them, since providers do not send keys back; this is the second net.
 */
export class Scrubber {
  readonly #secrets = new Set<string>();
  #forms: readonly string[] = [];
  #onAdded: (secrets: readonly string[]) => void = () => {};

  constructor(secrets: readonly string[]) {
    this.add(secrets);
  }

  /** More of them: a login that was renewed. Known from now on, also to windows that are open. */
  add(secrets: readonly string[]): void {
    const fresh = secrets.filter((secret) => !this.#secrets.has(secret));
    if (fresh.length === 0) return;
    for (const secret of fresh) {
      this.#secrets.add(secret);
      const [oldest] = this.#secrets;
      if (this.#secrets.size > MAX_SECRETS && oldest !== undefined) this.#secrets.delete(oldest);
    }
    const forms = [...this.#secrets].filter((secret) => secret.length >= MIN_FORM).flatMap(secretForms);
    // Longer forms first, so that a form inside another one does not leave a rest behind.
    this.#forms = [...new Set(forms)].sort((a, b) => b.length - a.length);
    this.#onAdded(fresh);
  }

  /** The secrets themselves, for whoever else must not let them through. A method, so that nothing prints them by accident. */
  secrets(): readonly string[] {
    return [...this.#secrets];
  }

  /** Calls back with secrets that come later. */
  onAdded(listener: (secrets: readonly string[]) => void): void {
    this.#onAdded = listener;
  }

  /** All forms that are looked for, the longest first. */
  forms(): readonly string[] {
    return this.#forms;
  }

  text(value: string): string {
    return this.#forms.reduce((text, form) => (text.includes(form) ? text.replaceAll(form, REPLACEMENT) : text), value);
  }

  /** A copy with every string scrubbed, keys included. */
  deep<T>(value: T): T {
    if (this.#forms.length === 0) return value;
    return this.#copy(value) as T;
  }

  /** Scrubs text that comes in pieces. */
  window(): ScrubWindow {
    return new ScrubWindow(this);
  }

  toJSON(): string {
    return 'Scrubber';
  }

  #copy(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((inner) => this.#copy(inner));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.text(key), this.#copy(inner)]));
  }
}

/** Holds back the end of what came while it could be the beginning of a secret. */
export class ScrubWindow {
  readonly #scrubber: Scrubber;
  #held = '';

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  /** What may go out now. */
  push(piece: string): string {
    const forms = this.#scrubber.forms();
    if (forms.length === 0) return piece;
    const text = this.#scrubber.text(this.#held + piece);
    const keep = Math.max(...forms.map((form) => startAtEnd(text, form)));
    this.#held = text.slice(text.length - keep);
    return text.slice(0, text.length - keep);
  }

  /** The rest, when nothing more comes. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** Length of the longest end of `text` that is a beginning of `form`. */
function startAtEnd(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}
