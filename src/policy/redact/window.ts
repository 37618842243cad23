import { type Finding, replaced } from './finding.ts';
import type { Redactor } from './redactor.ts';

/** Most that is held back, characters: longer than any known form. */
const MAX_HELD = 32_768;
/** What went out last and can still matter for what follows, characters. */
const CONTEXT = 2;

/** Redacts a text that comes in pieces: holds back its end for as long as that could become a secret. */
export class RedactWindow {
  readonly #redactor: Redactor;
  #context = '';
  #held = '';
  /** Secrets that were taken out. */
  count = 0;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** What may go out now. */
  push(piece: string): string {
    if (this.#redactor.idle || piece === '') return piece;
    const text = this.#context + this.#held + piece;
    const from = this.#context.length;
    const scan = this.#redactor.scan(text, from, { goesOn: true });
    let safe = Math.max(scan.safe, from);
    // A pattern of the user may match up to the end of the line.
    if (this.#redactor.byLine) safe = Math.min(safe, Math.max(from, text.lastIndexOf('\n') + 1));
    // From the last to the first: each may hold back one that stands before it.
    for (const { at, end } of scan.findings.toReversed()) if (end > safe) safe = Math.max(from, Math.min(safe, at));
    if (text.length - safe > MAX_HELD) {
      this.#held += piece;
      return this.end();
    }
    this.#held = text.slice(safe);
    return this.#out(text.slice(0, safe), from, scan.findings);
  }

  /** The rest, when nothing more comes. */
  end(): string {
    const from = this.#context.length;
    const text = this.#context + this.#held;
    this.#held = '';
    return this.#out(text, from, this.#redactor.scan(text, from, {}).findings);
  }

  #out(text: string, from: number, findings: readonly Finding[]): string {
    this.#context = text.slice(-CONTEXT);
    const out = findings.filter(({ end }) => end <= text.length);
    this.count += out.length;
    return replaced(text, out).slice(from);
  }
}
