import type { LinearRegExp } from '../../lib/linear-regexp.ts';
import { Anchors } from './anchors.ts';
import { type Finding, merged, replaced, replacement } from './finding.ts';
import { KNOWN_FORMS } from './known-forms.ts';
import type { Looker } from './look.ts';
import { ownForms } from './own-forms.ts';
import type { OwnSecret } from './own-secrets.ts';
import { patternMatches } from './pattern-finder.ts';
import { RedactWindow } from './window.ts';

export interface RedactorParts {
  /** Whether known forms are looked for. */
  readonly known: boolean;
  readonly patterns: readonly { readonly id: string; readonly regexp: LinearRegExp }[];
  readonly own: readonly OwnSecret[];
}

/** What a text is looked through for. */
export interface RedactOptions {
  /** Only the user's own secrets, which are secret wherever they are. */
  readonly ownOnly?: boolean;
  /** It is a word of a record itself, such as its type: patterns of the user are about contents. */
  readonly structure?: boolean;
  /** The text was cut off: what may be the beginning of a secret at its end counts as one. */
  readonly cut?: boolean;
}

interface ScanOptions extends RedactOptions {
  /** More of the text may come. */
  readonly goesOn?: boolean;
}

export interface Redacted {
  readonly text: string;
  /** What was taken out, each once. */
  readonly findings: readonly Pick<Finding, 'id' | 'own'>[];
}

interface Scan {
  readonly findings: readonly Finding[];
  /** Up to here nothing that may come can change what was found. */
  readonly safe: number;
}

interface Target {
  readonly anchor: string;
  readonly id: string;
  readonly own?: string;
  readonly rank: number;
  readonly anyCase: boolean;
  readonly look: Looker;
}

/** Text that makes more work than this, per character, is made to make work: nobody gets to see it. */
const LOOKS = 24;
const FREE_LOOKS = 65_536;
const UNEXAMINED = 'unexamined';
const RANK = { unexamined: -3, own: -2, pattern: -1 } as const;
const MAX_PASSES = 4;
/** Least of a secret that was cut off, characters behind its anchor. */
const MIN_CUT = 4;

/**
 * Takes secrets out of text. Pure: the same text gives the same result, and a result is left as it is when it comes
 * again. Each character is looked at a bounded number of times.
 */
export class Redactor {
  #targets: readonly Target[];
  #anchors: Anchors;
  readonly #patterns: RedactorParts['patterns'];
  #markers: ReadonlySet<string>;
  /** Characters that were looked at behind anchors, all texts together: what the bound is about. */
  looked = 0;

  constructor({ known, patterns, own }: RedactorParts) {
    const forms = KNOWN_FORMS.flatMap(({ id, anchors, look, anyCase = false }, rank) =>
      anchors.map((anchor) => ({ anchor, id, rank, anyCase, look })),
    );
    this.#targets = [...targetsOf(own), ...(known ? forms : [])];
    this.#anchors = new Anchors(this.#targets.map(({ anchor }) => anchor));
    this.#patterns = patterns;
    this.#markers = new Set([...this.#targets, ...patterns, { id: UNEXAMINED }].map(({ id }) => replacement(id)));
  }

  /** More secrets of the user. Looked for from now on, also in texts that are half through. */
  learn(own: readonly OwnSecret[]): void {
    const targets = targetsOf(own);
    if (targets.length === 0) return;
    this.#targets = [...targets, ...this.#targets];
    this.#anchors = new Anchors(this.#targets.map(({ anchor }) => anchor));
    this.#markers = new Set([...this.#markers, ...targets.map(({ id }) => replacement(id))]);
  }

  /** Whether nothing would ever be found. */
  get idle(): boolean {
    return this.#targets.length === 0 && this.#patterns.length === 0;
  }

  /** Whether a text must be looked at line by line. */
  get byLine(): boolean {
    return this.#patterns.length > 0;
  }

  redact(text: string, options: RedactOptions = {}): Redacted {
    if (this.idle || (text.length < SHORTEST && !this.byLine)) return { text, findings: [] };
    let result = text;
    const all: Finding[] = [];
    // What adjoins a secret may show as one of its own once that is gone.
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const { findings } = this.scan(result, 0, options);
      if (findings.length === 0) break;
      result = replaced(result, findings);
      all.push(...findings);
    }
    return { text: result, findings: all };
  }

  text(value: string, options: RedactOptions = {}): string {
    return this.redact(value, options).text;
  }

  /** A copy with every string redacted, keys included; the value itself where nothing was found. */
  deep<T>(value: T, options: RedactOptions = {}): T {
    return (this.idle ? value : this.#copy(value, options, true)) as T;
  }

  /** Redacts text that comes in pieces. */
  window(): RedactWindow {
    return new RedactWindow(this);
  }

  /** What is printed by accident holds no secret. */
  toJSON(): string {
    return 'Redactor';
  }

  /** Looks at a text from `from` on; what stands before is context. */
  scan(text: string, from: number, { ownOnly, structure, cut, goesOn }: ScanOptions): Scan {
    const findings: Finding[] = [];
    let safe = text.length;
    let left = FREE_LOOKS + LOOKS * text.length;
    const begun = this.#anchors.scan(text, from, (index, after) => {
      const target = this.#targets[index] as Target;
      if (ownOnly === true && target.own === undefined) return;
      const at = after - target.anchor.length;
      if (left < 0 || (!target.anyCase && !text.startsWith(target.anchor, at))) return;
      const look = target.look(text, at, after);
      left -= look.looked - at;
      if (left < 0) findings.push({ at: from, start: from, end: text.length, id: UNEXAMINED, rank: RANK.unexamined });
      const named = { at, id: target.id, rank: target.rank, ...(target.own === undefined ? {} : { own: target.own }) };
      if (look.open && goesOn === true) safe = Math.min(safe, at);
      else if (look.to > look.from) findings.push({ ...named, start: look.from, end: look.to });
      else if (look.open && cut === true && text.length - Math.max(look.from, after) >= MIN_CUT)
        findings.push({ ...named, start: look.from, end: text.length });
    });
    this.looked += FREE_LOOKS + LOOKS * text.length - left;
    if (goesOn === true) safe = Math.min(safe, text.length - begun);
    if (ownOnly !== true && structure !== true) findings.push(...this.#matches(text, from));
    return { findings: merged(findings), safe };
  }

  *#matches(text: string, from: number): Generator<Finding, void> {
    for (const { id, regexp } of this.#patterns) {
      for (const { start, end } of patternMatches(regexp, text, from)) {
        if (!this.#inMarker(text, start, end)) yield { at: start, start, end, id, rank: RANK.pattern };
      }
    }
  }

  /** A pattern may match the words that stand for a secret; they stay as they are. */
  #inMarker(text: string, start: number, end: number): boolean {
    const near = Math.max(0, start - MAX_MARKER);
    const from = text.slice(near, start + MARKER.length).lastIndexOf(MARKER);
    if (from < 0) return false;
    const marker = text.slice(near + from, near + from + MAX_MARKER);
    const closing = marker.indexOf(']') + 1;
    return end <= near + from + closing && this.#markers.has(marker.slice(0, closing));
  }

  /** @param ours whether its fields are those of a record, and not such as somebody else may choose */
  #copy(value: unknown, options: RedactOptions, ours: boolean): unknown {
    if (typeof value === 'string') return this.text(value, options);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const copied = value.map((inner) => this.#copy(inner, options, ours));
      return copied.some((inner, index) => inner !== value[index]) ? copied : value;
    }
    let changed = false;
    const entries = Object.entries(value).map(([key, inner]) => {
      const name = ours ? structural(options) : options;
      const how = ours && typeof inner === 'string' && STRUCTURE.has(key) ? name : options;
      const entry = [this.text(key, name), this.#copy(inner, how, ours && !OPEN.has(key))] as const;
      changed ||= entry[0] !== key || entry[1] !== inner;
      return entry;
    });
    return changed ? Object.fromEntries(entries) : value;
  }
}

function structural(options: RedactOptions): RedactOptions {
  return { ...options, structure: true };
}

/** Fields of records that programs go by. */
const STRUCTURE: ReadonlySet<string> = new Set(
  'type source time run role stopReason outcome state verdict by seen kind category entry decision call toolCallId id parent'.split(
    ' ',
  ),
);
/** Below these, the fields are those that a model or a tool chose. */
const OPEN: ReadonlySet<string> = new Set(['arguments', 'args', 'input', 'result', 'partialResult', 'details']);

function targetsOf(own: readonly OwnSecret[]): Target[] {
  return ownForms(own).map((form) => ({
    ...form,
    id: `own ${form.own.slice(0, MAX_NAME)}`,
    rank: RANK.own,
    anyCase: false,
  }));
}

const MAX_NAME = 100;
const MARKER = replacement('').slice(0, -1);
/** Longest text that stands for a secret, characters; names of variables are cut to fit. */
const MAX_MARKER = 128;
/** Shorter texts hold no secret of any kind but what a pattern means. */
const SHORTEST = 6;
