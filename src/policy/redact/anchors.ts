const OTHER = 0;

/**
 * Finds many short texts at once, each character of the input looked at once (Aho and Corasick, 1975). Letters A to Z
 * count as small ones, here and in the texts.
 */
export class Anchors {
  /** Number of each character that occurs in a text; 0 for all others. */
  readonly #class = new Uint16Array(0x10000);
  readonly #classes: number;
  /** State after a state and a class. */
  readonly #next: Int32Array;
  /** Texts that end in a state, by index. */
  readonly #hits: (readonly number[] | undefined)[];
  readonly #depth: Uint16Array;

  constructor(texts: readonly string[]) {
    const folded = texts.map((text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
    this.#classes = this.#number(folded);
    const { children, hits, depth } = this.#tree(folded);
    this.#depth = Uint16Array.from(depth);
    this.#hits = hits;
    this.#next = this.#table(children, hits);
  }

  /**
   * Calls `hit` with the index of each text that is found and the place behind it, in the order of these places. Returns
   * how many characters at the end of the input are the beginning of a text.
   */
  scan(input: string, from: number, hit: (text: number, after: number) => void): number {
    const [next, classes, kinds] = [this.#next, this.#class, this.#classes];
    let state = 0;
    for (let at = from; at < input.length; at++) {
      state = next[state * kinds + (classes[input.charCodeAt(at)] as number)] as number;
      const found = this.#hits[state];
      if (found !== undefined) for (const text of found) hit(text, at + 1);
    }
    return this.#depth[state] as number;
  }

  #number(texts: readonly string[]): number {
    let count = 1;
    for (const text of texts) {
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (this.#class[code] !== OTHER) continue;
        this.#class[code] = count;
        if (code >= 0x61 && code <= 0x7a) this.#class[code - 0x20] = count;
        count++;
      }
    }
    return count;
  }

  #tree(texts: readonly string[]): {
    children: Map<number, number>[];
    hits: (number[] | undefined)[];
    depth: number[];
  } {
    const children = [new Map<number, number>()];
    const hits: (number[] | undefined)[] = [undefined];
    const depth = [0];
    for (const [index, text] of texts.entries()) {
      let state = 0;
      for (let at = 0; at < text.length; at++) {
        const kind = this.#class[text.charCodeAt(at)] as number;
        let child = children[state]?.get(kind);
        if (child === undefined) {
          child = children.push(new Map()) - 1;
          hits.push(undefined);
          depth.push(at + 1);
          children[state]?.set(kind, child);
        }
        state = child;
      }
      hits[state] = [...(hits[state] ?? []), index];
    }
    return { children, hits, depth };
  }

  /** Fills in where to go when a text goes on otherwise than expected: to the longest end that begins another text. */
  #table(children: readonly Map<number, number>[], hits: (number[] | undefined)[]): Int32Array {
    const kinds = this.#classes;
    const next = new Int32Array(children.length * kinds);
    const fallback = new Int32Array(children.length);
    const queue = [0];
    // It grows while it is gone through: level by level.
    for (const state of queue) {
      const back = fallback[state] as number;
      const inherited = hits[back];
      if (state !== 0 && inherited !== undefined) hits[state] = [...(hits[state] ?? []), ...inherited];
      if (state !== 0) next.copyWithin(state * kinds, back * kinds, (back + 1) * kinds);
      for (const [kind, child] of children[state] ?? []) {
        fallback[child] = state === 0 ? 0 : (next[state * kinds + kind] as number);
        next[state * kinds + kind] = child;
        queue.push(child);
      }
    }
    return next;
  }
}
