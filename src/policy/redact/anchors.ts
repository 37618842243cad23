const OTHER = 0;

/**
 * Finds many short texts at once, each character of the input looked at once (Aho and Corasick, 1975). Letters A to Z
 * count as small ones, here and in the texts.
 */
export class Anchors {
  /** Number of each character that occurs in a text; 0 for all others. */
  readonly #class = new Uint16Array(0x10000);
  readonly #classes: number;
  /** State after a state and a class. State 0 is the start, and what does not lead on leads there. */
  readonly #next: Int32Array;
  /** Texts that end in a state, by index. */
  readonly #hits: (readonly number[] | undefined)[] = [undefined];
  /** Characters since the start. */
  readonly #depth: number[] = [0];

  constructor(texts: readonly string[]) {
    const folded = texts.map((text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
    this.#classes = this.#number(folded);
    const most = folded.reduce((sum, { length }) => sum + length, 1);
    this.#next = new Int32Array(most * this.#classes);
    for (const [index, text] of folded.entries()) this.#add(index, text);
    this.#connect();
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

  #add(index: number, text: string): void {
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const cell = state * this.#classes + (this.#class[text.charCodeAt(at)] as number);
      state = this.#next[cell] as number;
      if (state > 0) continue;
      state = this.#hits.push(undefined) - 1;
      this.#depth.push(at + 1);
      this.#next[cell] = state;
    }
    this.#hits[state] = [...(this.#hits[state] ?? []), index];
  }

  /** Fills in where to go when a text goes on otherwise than expected: to the longest end that begins another text. */
  #connect(): void {
    const [next, kinds] = [this.#next, this.#classes];
    const fallback = new Int32Array(this.#hits.length);
    const queue = [0];
    // It grows while it is gone through: level by level.
    for (const state of queue) {
      const back = fallback[state] as number;
      const inherited = this.#hits[back];
      if (state !== 0 && inherited !== undefined) this.#hits[state] = [...(this.#hits[state] ?? []), ...inherited];
      for (let kind = 0; kind < kinds; kind++) {
        const child = next[state * kinds + kind] as number;
        const otherwise = state === 0 ? 0 : (next[back * kinds + kind] as number);
        if (child === 0) next[state * kinds + kind] = otherwise;
        else {
          fallback[child] = otherwise;
          queue.push(child);
        }
      }
    }
  }
}
