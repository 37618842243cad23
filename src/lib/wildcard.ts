type Token =
  | { readonly kind: 'char'; readonly char: string }
  /** `?` and `[...]`; of a path never a slash. */
  | { readonly kind: 'one'; readonly accepts: (char: string) => boolean }
  /** `*`, `**`, and `**` with its slash, which also stands for no folder at all. */
  | { readonly kind: 'some' | 'all' | 'folders' };

export interface WildcardOptions {
  /** Comes first and is taken as it stands. */
  readonly literal?: string;
  /** It is held against texts that are no paths: a slash is a character like any other there, also for `*`. */
  readonly text?: boolean;
}

/**
 * A glob made ready: `*` stands for any characters but `/`, `**` also for those, a `**` part of a path for any number of
 * folders, `?` for one character but `/`, `[...]` for one of these, and `\` takes the character after it as it is.
 */
export class Wildcard {
  readonly #tokens: Token[];
  /** Of a glob that stands for one text only. */
  readonly #text: string | undefined;
  /** Texts that everything that matches must hold: a quick no for nearly all of the others. */
  readonly #needles: readonly string[];
  /** What is before and after the only `*`, when there is nothing else. */
  readonly #around: readonly [before: string, after: string] | undefined;

  constructor(glob: string, { literal = '', text = false }: WildcardOptions = {}) {
    this.#tokens = [...charTokens(literal), ...(text ? textTokens(glob) : pathTokens(glob))];
    this.#text = /[*?[\\]/.test(glob) ? undefined : literal + glob;
    const runs = literalRuns(this.#tokens);
    this.#needles = runs.filter((run) => run !== '');
    const only = this.#tokens.filter(({ kind }) => kind !== 'char');
    this.#around = only.length === 1 && only[0]?.kind === 'some' ? [runs[0] ?? '', runs[1] ?? ''] : undefined;
  }

  matches(text: string): boolean {
    if (this.#text !== undefined) return text === this.#text;
    if (this.#around === undefined) return this.#mayMatch(text) && this.#run(text, false);
    const [before, after] = this.#around;
    const long = text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
    return long && !text.slice(before.length, text.length - after.length).includes('/');
  }

  /** Whether the path matches, or a folder that it is in. */
  matchesWithin(path: string): boolean {
    if (this.#text === undefined) return this.#mayMatch(path) && this.#run(path, true);
    return path.startsWith(this.#text) && (path.length === this.#text.length || path[this.#text.length] === '/');
  }

  #mayMatch(text: string): boolean {
    return this.#needles.every((needle) => text.includes(needle));
  }

  /**
   * All places in the glob that the text so far may lead to, kept at once: time grows with the product of the two
   * lengths at most, where an expression that tries again could take for ever.
   */
  #run(text: string, folders: boolean): boolean {
    const end = this.#tokens.length;
    let here = new Uint8Array(end + 1);
    this.#enter(here, 0);
    for (const char of text) {
      if (folders && char === '/' && here[end] === 1) return true;
      const next = new Uint8Array(end + 1);
      let alive = false;
      for (let at = 0; at < end; at++) {
        if (here[at] === 1 && this.#step(next, at, char)) alive = true;
      }
      if (!alive) return false;
      here = next;
    }
    return here[end] === 1;
  }

  #step(next: Uint8Array, at: number, char: string): boolean {
    const token = this.#tokens[at];
    if (token === undefined) return false;
    if (token.kind === 'char' || token.kind === 'one') {
      if (token.kind === 'char' ? token.char !== char : !token.accepts(char)) return false;
      this.#enter(next, at + 1);
    } else if (token.kind === 'folders') {
      if (char === '/') this.#enter(next, at);
      else next[at] = 1;
    } else {
      if (token.kind === 'some' && char === '/') return false;
      this.#enter(next, at);
    }
    return true;
  }

  /** Marks a place, and those behind it that nothing needs to be read for. */
  #enter(places: Uint8Array, from: number): void {
    for (let at = from; ; at++) {
      places[at] = 1;
      const kind = this.#tokens[at]?.kind;
      if (kind === undefined || kind === 'char' || kind === 'one') return;
    }
  }
}

/** Texts between what stands for something else, in order; one more than there are of those. */
function literalRuns(tokens: readonly Token[]): string[] {
  const runs = [''];
  for (const token of tokens) {
    if (token.kind === 'char') runs[runs.length - 1] += token.char;
    else runs.push('');
  }
  return runs;
}

function charTokens(text: string): Token[] {
  return [...text].map((char) => ({ kind: 'char', char }));
}

function pathTokens(glob: string): Token[] {
  const parts = glob.matchAll(/\\(.)|(?<=^|\/)\*\*\/|\*+|\[([!^]?\]?[^\]/]*)\]|./gsu);
  return Array.from(parts, ([part, escaped, set]): Token => {
    if (part === '**/') return { kind: 'folders' };
    if (part === '*') return { kind: 'some' };
    const token = tokenOf(part, escaped, set);
    return token.kind === 'one' ? { kind: 'one', accepts: (char) => char !== '/' && token.accepts(char) } : token;
  });
}

function textTokens(glob: string): Token[] {
  const parts = glob.matchAll(/\\(.)|\*+|\[([!^]?\]?[^\]]*)\]|./gsu);
  return Array.from(parts, ([part, escaped, set]) => tokenOf(part, escaped, set));
}

function tokenOf(part: string, escaped: string | undefined, set: string | undefined): Token {
  if (escaped !== undefined) return { kind: 'char', char: escaped };
  if (part.startsWith('*')) return { kind: 'all' };
  if (part === '?') return { kind: 'one', accepts: () => true };
  return set === undefined || set === '' ? { kind: 'char', char: part } : { kind: 'one', accepts: accepter(set) };
}

/** The inside of `[...]`. Named classes such as `[:alpha:]` are not known: they stand for every character. */
function accepter(set: string): (char: string) => boolean {
  const negated = /^[!^]/.test(set);
  const body = negated ? set.slice(1) : set;
  if (body.includes('[:')) return () => true;
  const ranges = Array.from(
    body.matchAll(/(.)-(.)|(.)/gsu),
    ([, from, to, one = '']) => [from ?? one, to ?? one] as const,
  );
  return (char) => ranges.some(([from, to]) => char >= from && char <= to) !== negated;
}
